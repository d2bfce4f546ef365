import { sipLogKey } from '@calls/api-contract/call-objects';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { SipTermination } from '@calls/api-contract/rest/enums';
import type { Clock } from '@calls/foundation/clock';
import type { EndDetails, HeldCall } from '../calls/held-call.ts';

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
