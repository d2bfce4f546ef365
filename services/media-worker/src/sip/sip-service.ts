import type { SipSpec } from '@calls/api-contract/call-spec';
import type { AssignedRegistration } from '@calls/api-contract/bus/sip-registrations';
import type { StoredDialog } from '@calls/api-contract/bus/stored-dialog';
import type { Seal } from '@calls/bus/call-seal';
import type { ControlPlaneRequests } from '@calls/bus/request-reply';
import type { LegOutcome } from '@calls/conversation/ports/transfer-legs';
import { withTimeout, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import type { SipEndpoint, SipEndpointOptions } from '@calls/sip/endpoint-options';
import type { NameService } from '@calls/sip/transport/resolve';
import type { OpusCodecs } from '@calls/transports/opus/opus-codecs';
import type { RtpEngine } from '@calls/transports/rtp-thread/rtp-channel';
import { RtpPorts } from '@calls/transports/rtp-thread/rtp-ports';
import { SipMedia } from '@calls/transports/sip/sip-media';
import type { Slots } from '../admission/slots.ts';
import type { CallHost } from '../calls/call-host.ts';
import type { SipMeter } from './sip-metrics.ts';
import { ActiveSipCalls, IncomingCalls } from './incoming/incoming-calls.ts';
import { placeCall, type PlacedCall } from './outgoing/outgoing-call.ts';
import { sipSides } from './sip-address.ts';
import type { SipConfig } from './sip-config.ts';
import type { SipDeps, SipLeg } from './leg/sip-leg.ts';
import { SipCallRecord } from './leg/sip-call-record.ts';
import { SipFailover, type SipFailoverOptions } from './failover/sip-failover.ts';
import { SipLogs } from './sip-logs.ts';
import { SipRegistrations } from './sip-registrations.ts';
import { callPerson, type PersonCall } from './outgoing/person-call.ts';

export interface SipServiceOptions {
  workerId: string;
  registrationSeal: Seal<AssignedRegistration>;
  dialogSeal: Seal<StoredDialog>;
  bus: SipFailoverOptions['bus'];
  config: SipConfig;
  /** Whether calls to an address are allowed. Customers choose addresses. */
  mayReach: (address: string) => boolean;
  names: NameService;
  rtp: RtpEngine;
  /** Opus is offered while it is ready. */
  opus: OpusCodecs & { readonly isReady: boolean };
  openEndpoint: (options: SipEndpointOptions) => Promise<SipEndpoint>;
  requests: Pick<ControlPlaneRequests, 'send'>;
  slots: Pick<Slots, 'release' | 'tryReserve'>;
  storage: Pick<ObjectStorage, 'put'>;
  meter: SipMeter;
  clock: Clock;
  log: Logger;
}

/** How long a hang-up waits for the bus. */
const HOLDS_LIMIT_MS = 500;
const NO_PORTS = 'The call could not be placed: the service has no free RTP ports.';

interface SipServiceComponents {
  endpoint: SipEndpoint;
  deps: SipDeps;
  incoming: IncomingCalls;
  failover: SipFailover;
  registrations: SipRegistrations;
  activeCalls: ActiveSipCalls;
}

/** SIP of this worker: outgoing and incoming calls, and registrations. Disposal hangs up and unregisters. */
export class SipService implements AsyncDisposable {
  readonly #endpoint: SipEndpoint;
  readonly #deps: SipDeps;
  readonly #incoming: IncomingCalls;
  readonly #failover: SipFailover;
  readonly #registrations: SipRegistrations;
  readonly #activeCalls: ActiveSipCalls;

  private constructor(components: SipServiceComponents) {
    this.#endpoint = components.endpoint;
    this.#deps = components.deps;
    this.#incoming = components.incoming;
    this.#failover = components.failover;
    this.#registrations = components.registrations;
    this.#activeCalls = components.activeCalls;
  }

  /** Rejects if the port is in use, or there is no address to announce. */
  static async start(options: SipServiceOptions): Promise<SipService> {
    const {
      config,
      mayReach,
      names,
      rtp,
      opus,
      openEndpoint,
      requests,
      slots,
      storage,
      meter,
      bus,
      clock,
      log,
    } = options;
    const [first, otherFamily] = await sipSides(config);
    const { host = '0.0.0.0', address = '127.0.0.1' } = first ?? {};
    const ports = new RtpPorts({
      host,
      otherHost: otherFamily?.host,
      range: config.rtpPorts,
      engine: rtp,
    });
    const logs = new SipLogs(clock);
    const stored = { dialogs: bus.dialogs, seal: options.dialogSeal, clock };
    const deps: SipDeps = {
      openMedia: (encryption, earlier) =>
        SipMedia.open({
          ports,
          address,
          otherAddress: otherFamily?.address,
          meter: meter.media,
          clock,
          mediaTimeoutMs: config.mediaTimeoutMs,
          opus: opus.isReady ? opus : null,
          encryption: encryption ?? config.mediaEncryption,
          ...(earlier && { earlier }),
        }),
      logs,
      holds: (lease) =>
        withTimeout(clock, bus.leases.holds(lease), HOLDS_LIMIT_MS, 'call lease').catch(() => true),
      // No call begins before the endpoint is open.
      invite: (call) => endpoint.invite(call),
      resume: (snapshot, credentials) => endpoint.resume(snapshot, credentials),
      record: (lease, state, callLog) => new SipCallRecord({ ...stored, lease, state, log: callLog }),
      recordPerson(legId, state, callLog) {
        const lease = { callId: legId, workerId: options.workerId, epoch: 1 };
        return new SipCallRecord({ ...stored, lease, state, log: callLog });
      },
      storeLog: (leg, sipCallId) => storeLog(leg, logs.take(sipCallId), { storage, log }),
      meter,
      clock,
    };
    const activeCalls = new ActiveSipCalls();
    const registrations = new SipRegistrations({
      workerId: options.workerId,
      register: (registration) => endpoint.register(registration),
      requests,
      seal: options.registrationSeal,
      clock,
      log,
    });
    const incoming = new IncomingCalls({ ...deps, requests, registrations, slots, log }, activeCalls);
    const endpoint = await openEndpoint({
      host,
      port: config.port,
      address,
      ...(otherFamily && { otherFamily }),
      sessionExpiresS: config.sessionExpiresS,
      ...(config.tls && { tls: { ...config.tls, name: config.announced[0] ?? address } }),
      mayReach,
      names,
      clock,
      log,
      admit: (invite) => incoming.admit(invite),
      onInvite: (invite) => incoming.accept(invite),
      onMessage: (message) => logs.note(message),
    });
    const { port, tlsPort } = endpoint;
    log.info(
      { address, otherAddress: otherFamily?.address, port, ...(tlsPort !== null && { tlsPort }) },
      'worker accepts SIP calls',
    );
    const failover = new SipFailover({
      workerId: options.workerId,
      bus,
      seal: options.dialogSeal,
      deps,
      track: (call) => activeCalls.add(call),
      clock,
      log,
    });
    return new SipService({ endpoint, deps, incoming, failover, registrations, activeCalls });
  }

  get port(): number {
    return this.#endpoint.port;
  }

  /** Number of calls, from the INVITE to the end. */
  get size(): number {
    return this.#activeCalls.size;
  }

  /** The number of registrations of this worker by the result of their last attempt. */
  get registrations(): ReturnType<SipRegistrations['count']> {
    return this.#registrations.count();
  }

  /**
   * Runs incoming calls and those of lost workers with `host` from now on. With null, rejects incoming calls, and
   * leaves lost calls and registrations to other workers.
   */
  setHost(host: Pick<CallHost, 'checkLeases' | 'receive' | 'failOver'> | null): void {
    this.#incoming.host = host;
    this.#failover.setHost(host);
    if (host) this.#registrations.start();
    else void this.#registrations.release();
  }

  /** Drops calls that another worker has taken while this process did not run. Does not reject. */
  checkLeases(): Promise<void> {
    return this.#failover.checkLeases();
  }

  /** Watches the other workers. */
  get failover(): Pick<SipFailover, 'livenessOf' | 'onLost'> {
    return this.#failover;
  }

  /** Whether another worker can continue an answered call. */
  get hasSuccessor(): boolean {
    return this.#failover.hasSuccessor;
  }

  /**
   * Reports that the lease of an answered call is free, so that another worker continues it. `to`: the worker that has
   * prepared to.
   */
  released(callId: string, to?: string): void {
    this.#failover.released(callId, to);
  }

  /** Places an outgoing call. Does not throw. */
  place(call: PlacedCall, spec: SipSpec, log: Pick<Logger, 'info' | 'warn' | 'error'>): void {
    this.#activeCalls.add(
      placeCall(this.#deps, call, spec, log).catch((thrown: unknown) => {
        log.error({ err: toError(thrown) }, 'failed to place SIP call');
        call.notReached(NO_PORTS);
      }),
    );
  }

  /** Calls a person that a user is transferred to. See TransferLegs. */
  callPerson(call: PersonCall, signal: AbortSignal): Promise<LegOutcome> {
    const { outcome, released } = callPerson(this.#deps, call, signal);
    this.#activeCalls.add(released);
    return outcome;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#incoming.host = null;
    await this.#failover[Symbol.asyncDispose]();
    await this.#registrations[Symbol.asyncDispose]();
    // Ended calls may still be sending their last messages.
    await this.#activeCalls.settled(this.#deps.clock);
    await this.#endpoint[Symbol.asyncDispose]();
    await this.#activeCalls.settled(this.#deps.clock);
  }
}

async function storeLog(
  { logKey }: Pick<SipLeg, 'logKey'>,
  text: string | null,
  { storage, log }: Pick<SipServiceOptions, 'storage' | 'log'>,
): Promise<void> {
  if (logKey === null || text === null) return;
  try {
    await storage.put(logKey, [Buffer.from(text)]);
  } catch (thrown) {
    log.error({ logKey, err: toError(thrown) }, 'failed to store the messages of a SIP call');
  }
}
