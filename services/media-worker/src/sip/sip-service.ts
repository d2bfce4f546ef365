import type { SipSpec } from '@calls/api-contract/call-spec';
import type { Bus } from '@calls/bus/bus';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { withTimeout } from '@calls/foundation/timeout';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import type { IncomingInvite } from '@calls/sip/calls';
import type {
  Admission,
  SipEndpoint,
  SipEndpointOptions,
  UnansweredInvite,
} from '@calls/sip/endpoint-options';
import type { NameService } from '@calls/sip/transport/resolve';
import { RtpPorts } from '@calls/transports/sip/rtp-ports';
import { SipMedia } from '@calls/transports/sip/sip-media';
import type { Slots } from '../admission/slots.ts';
import type { CallHost } from '../calls/call-host.ts';
import type { SipMeter } from './sip-metrics.ts';
import { CallerAdmission } from './caller-admission.ts';
import { takeCall, type IncomingDeps } from './incoming-call.ts';
import { placeCall, type PlacedCall } from './outgoing-call.ts';
import { announcedAddress } from './sip-address.ts';
import type { SipConfig } from './sip-config.ts';
import type { SipLeg } from './sip-leg.ts';
import { SipLogs } from './sip-logs.ts';
import type { SipDeps } from './sip-deps.ts';

export interface SipServiceOptions {
  config: SipConfig;
  /** Whether calls may be placed there: customers say where. */
  mayReach: (address: string) => boolean;
  names: NameService;
  openEndpoint: (options: SipEndpointOptions) => Promise<SipEndpoint>;
  bus: Pick<Bus, 'request'>;
  slots: Pick<Slots, 'release' | 'tryReserve'>;
  storage: Pick<ObjectStorage, 'put'>;
  meter: SipMeter;
  clock: Clock;
  log: Logger;
}

const NOT_PLACED = 'The call could not be placed: the service has no room for its media.';
const RETRY_AFTER_S = 5;
const NOT_TAKING: Admission = { kind: 'refused', status: 503, reason: 'Service Unavailable' };
/** For a last BYE to be answered, and messages to be stored. */
const SETTLE_LIMIT_MS = 2000;

/** SIP of this worker: the calls that it places, and those that come to it. Disposing hangs up what stands. */
export class SipService implements AsyncDisposable {
  readonly #options: SipServiceOptions;
  readonly #endpoint: SipEndpoint;
  readonly #deps: SipDeps;
  readonly #underWay = new Set<Promise<void>>();
  #host: Pick<CallHost, 'receive'> | null = null;

  private constructor(options: SipServiceOptions, endpoint: SipEndpoint, deps: SipDeps) {
    this.#options = options;
    this.#endpoint = endpoint;
    this.#deps = deps;
  }

  /** Rejects if the port is in use, or there is no address to announce. */
  static async start(options: SipServiceOptions): Promise<SipService> {
    const { config, mayReach, names, openEndpoint, bus, storage, meter, clock, log } = options;
    const address = await announcedAddress(config);
    const ports = new RtpPorts({ host: config.listen || '0.0.0.0', range: config.rtpPorts, clock });
    const logs = new SipLogs(clock);
    const callers = new CallerAdmission({ bus, clock, log });
    let service = null as SipService | null;
    const endpoint = await openEndpoint({
      host: config.listen,
      port: config.port,
      address,
      mayReach,
      names,
      clock,
      log,
      admit: (invite) => (service ? service.#admit(invite, callers) : NOT_TAKING),
      onInvite: (invite) => {
        if (service) service.#onInvite(invite);
        else invite.reject(503, 'Starting', RETRY_AFTER_S);
      },
      onMessage: (message) => logs.note(message),
    });
    service = new SipService(options, endpoint, {
      openMedia: () => SipMedia.open({ ports, address, meter: meter.media, clock }),
      logs,
      storeLog: (leg, sipCallId) => storeLog(leg, logs.take(sipCallId), { storage, log }),
      meter,
      clock,
    });
    log.info({ address, port: endpoint.port }, 'worker accepts SIP calls');
    return service;
  }

  get port(): number {
    return this.#endpoint.port;
  }

  /** Calls from their INVITE to their end. */
  get size(): number {
    return this.#underWay.size;
  }

  /** From now on calls that come are held by `host`; null: no more are taken. */
  takeFor(host: Pick<CallHost, 'receive'> | null): void {
    this.#host = host;
  }

  /** Places an outgoing call. Does not throw. */
  place(call: PlacedCall, spec: SipSpec, log: Pick<Logger, 'info' | 'error'>): void {
    const parts = { ...this.#deps, endpoint: this.#endpoint };
    this.#track(
      placeCall(parts, call, spec, log).catch((thrown: unknown) => {
        log.error({ err: toError(thrown) }, 'failed to place SIP call');
        call.notReached(NOT_PLACED);
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#host = null;
    // Ended calls may still be sending their last messages.
    await this.#settled();
    await this.#endpoint[Symbol.asyncDispose]();
    await this.#settled();
  }

  async #settled(): Promise<void> {
    const all = Promise.all(this.#underWay).then(() => undefined);
    await withTimeout(this.#options.clock, all, SETTLE_LIMIT_MS, 'the end of SIP calls').catch(
      () => undefined,
    );
  }

  #admit(invite: UnansweredInvite, callers: CallerAdmission): Admission | (() => Promise<Admission>) {
    if (!this.#host) {
      this.#options.meter.refused('draining');
      return NOT_TAKING;
    }
    const decision = callers.admit(invite);
    if (typeof decision !== 'function') return this.#counted(decision);
    return async () => this.#counted(await decision());
  }

  #counted(admission: Admission): Admission {
    if (admission.kind === 'refused') this.#options.meter.refused('refused');
    return admission;
  }

  #onInvite(invite: IncomingInvite): void {
    const { bus, slots, meter, log } = this.#options;
    if (!this.#host) {
      meter.refused('draining');
      invite.reject(503, 'Service Unavailable', RETRY_AFTER_S);
      return;
    }
    const deps: IncomingDeps = { ...this.#deps, bus, slots, host: this.#host, log };
    this.#track(takeCall(deps, invite));
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
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
