import { sipLogKey } from '@calls/api-contract/call-objects';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { SipTermination } from '@calls/api-contract/rest/enums';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import type { SipEndpoint } from '@calls/sip/endpoint-options';
import type { MediaEncryption } from '@calls/transports/sip/media-encryption';
import type { SipMedia } from '@calls/transports/sip/sip-media';
import type { SipTransport, SipTransportOptions } from '@calls/transports/sip/transport';
import type { EndDetails, HeldCall } from '../calls/held-call.ts';
import type { SipLogs } from './sip-logs.ts';
import type { SipMeter } from './sip-metrics.ts';

/** Termination details of the SIP connection of one call. */
export class SipLeg {
  readonly #spec: CallSpec;
  readonly #dialledAtMs: number;
  readonly #clock: Pick<Clock, 'wallMs'>;
  #reason: SipTermination | null = null;
  #reported: SipTermination | null = null;

  /** `dialledAtMs`: start of dialling, as epoch milliseconds. */
  constructor(call: Pick<HeldCall, 'spec' | 'endsWith'>, dialledAtMs: number, clock: Pick<Clock, 'wallMs'>) {
    this.#spec = call.spec;
    this.#dialledAtMs = dialledAtMs;
    this.#clock = clock;
    call.endsWith(() => this.#details());
  }

  /** Null for a call with zero retention. */
  get logKey(): string | null {
    return this.#spec.retention === 'zdr' ? null : sipLogKey(this.#spec);
  }

  /** The reason as reported, or as it would be reported now. */
  get reason(): SipTermination {
    return (
      this.#reported ??
      this.#reason ??
      (this.#isOverdue() ? 'SIP_TERMINATION_TIMEOUT' : 'SIP_TERMINATION_CANCELED')
    );
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

  #isOverdue(): boolean {
    const { createdAtMs, joinTimeoutMs } = this.#spec;
    return this.#clock.wallMs() >= createdAtMs + joinTimeoutMs;
  }
}

/** The media of one call, as provided by transports. */
export interface CallMedia
  extends Pick<SipMedia, 'answer' | 'offer' | 'reoffer' | 'takeAnswer' | 'useCodecs'>, AsyncDisposable {
  transport(options: SipTransportOptions): MediaTransport & Pick<SipTransport, 'ended' | 'keyPressed'>;
}

/** Dependencies of calls in both directions. */
export interface SipDeps {
  /** Rejects if no port is free. Without `encryption` the worker's setting applies. */
  openMedia: (encryption?: MediaEncryption) => Promise<CallMedia>;
  logs: Pick<SipLogs, 'claim' | 'join' | 'take'>;
  /** Places a SIP call. */
  invite: SipEndpoint['invite'];
  /** Stores the SIP messages of an ended call. Does not reject. */
  storeLog: (leg: Pick<SipLeg, 'logKey'>, sipCallId: string) => Promise<void>;
  meter: Pick<SipMeter, 'ended' | 'refused'>;
  clock: Clock;
}
