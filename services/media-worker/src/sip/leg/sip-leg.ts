import { sipLogKey } from '@calls/api-contract/call-objects';
import type { PersonLegState, SipCallState } from '@calls/api-contract/bus/stored-dialog';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { SipTermination } from '@calls/api-contract/rest/enums';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { Lease } from '@calls/bus/leases';
import { withSteadyWallTime, type Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { SipEndpoint } from '@calls/sip/endpoint-options';
import type { SipEncryption } from '@calls/api-contract/call-spec';
import type { SipMedia, SipMediaSnapshot } from '@calls/transports/sip/sip-media';
import type { SipTransport, SipTransportOptions } from '@calls/transports/sip/transport';
import type { EndDetails, HostedCall } from '../../calls/hosted-call.ts';
import type { SipCallRecord } from './sip-call-record.ts';
import type { SipLogs } from '../sip-logs.ts';
import type { SipMeter } from '../sip-metrics.ts';

/** Termination details of the SIP connection of one call. */
export class SipLeg {
  readonly #spec: CallSpec;
  readonly #dialledAtMs: number;
  readonly #clock: Pick<Clock, 'wallMs'>;
  #reason: SipTermination | null = null;
  #reported: SipTermination | null = null;

  /** `dialledAtMs`: start of dialling, as epoch milliseconds. */
  constructor(call: Pick<HostedCall, 'spec' | 'endsWith'>, dialledAtMs: number, clock: Clock) {
    this.#spec = call.spec;
    this.#dialledAtMs = dialledAtMs;
    this.#clock = withSteadyWallTime(clock);
    call.endsWith(() => this.#details());
  }

  /** Null for a call with zero retention. */
  get logKey(): string | null {
    return this.#spec.retention === 'zdr' ? null : sipLogKey(this.#spec);
  }

  get dialledAtMs(): number {
    return this.#dialledAtMs;
  }

  /** The reason as reported, or as it would be reported now. */
  get reason(): SipTermination {
    return this.#reported ?? this.#reason ?? this.#withoutResult();
  }

  /** Without a result the call counts as cancelled. A later result replaces an earlier one. */
  settle(reason: SipTermination): void {
    this.#reason = reason;
  }

  #details(): EndDetails {
    this.#reported = this.reason;
    const durationMs = Math.max(0, Math.round(this.#clock.wallMs() - this.#dialledAtMs));
    const { logKey } = this;
    return { sip: { dialledAtMs: this.#dialledAtMs, durationMs, terminationReason: this.#reported, logKey } };
  }

  /** An incoming call is accepted at once, so it is only overdue if its caller does not send ACK. */
  #withoutResult(): SipTermination {
    const { createdAtMs, joinTimeoutMs, medium } = this.#spec;
    if (this.#clock.wallMs() < createdAtMs + joinTimeoutMs) return 'SIP_TERMINATION_CANCELED';
    const isIncoming = medium.kind === 'sip' && medium.direction === 'incoming';
    return isIncoming ? 'SIP_TERMINATION_UNKNOWN' : 'SIP_TERMINATION_TIMEOUT';
  }
}

/**
 * Counts an ended call and stores its SIP messages, once its end is written. If another worker continues the call, that
 * one does so.
 */
export async function finish(
  { logs, meter, storeLog }: Pick<SipDeps, 'logs' | 'meter' | 'storeLog'>,
  call: Pick<HostedCall, 'released' | 'spec'>,
  leg: SipLeg,
  sipCallId: string,
): Promise<void> {
  const { medium } = call.spec;
  const { kind } = await call.released;
  if (kind !== 'ended' || medium.kind !== 'sip') {
    logs.take(sipCallId);
    return;
  }
  meter.ended(medium.direction, leg.reason);
  await storeLog(leg, sipCallId);
}

/** The media of one call, as provided by transports. */
export interface CallMedia
  extends
    Pick<SipMedia, 'answer' | 'offer' | 'reoffer' | 'sendSilence' | 'snapshot' | 'takeAnswer' | 'useCodecs'>,
    AsyncDisposable {
  transport(options: SipTransportOptions): MediaTransport & Pick<SipTransport, 'ended' | 'keyPressed'>;
}

/** Dependencies of calls in both directions. */
export interface SipDeps {
  /** Rejects if no port is free. Without `encryption` the worker's setting applies. */
  openMedia: (encryption?: SipEncryption, earlier?: SipMediaSnapshot) => Promise<CallMedia>;
  logs: Pick<SipLogs, 'claim' | 'follow' | 'join' | 'take'>;
  /**
   * Whether this worker still holds the call: another one may have continued it while this one was paused. True if the
   * bus does not respond soon.
   */
  holds: (lease: Lease) => Promise<boolean>;
  /** Places a SIP call. */
  invite: SipEndpoint['invite'];
  /** Continues a dialog of another worker. */
  resume: SipEndpoint['resume'];
  /** Opens the stored state of an answered call; `state` returns the current state. */
  record: (lease: Lease, state: () => SipCallState, log: Pick<Logger, 'warn'>) => SipCallRecord;
  /** The same for the call to the person of a warm transfer. */
  recordPerson: (legId: string, state: () => PersonLegState, log: Pick<Logger, 'warn'>) => SipCallRecord;
  /** Stores the SIP messages of an ended call. Does not reject. */
  storeLog: (leg: Pick<SipLeg, 'logKey'>, sipCallId: string) => Promise<void>;
  meter: Pick<SipMeter, 'ended' | 'refused'>;
  clock: Clock;
}
