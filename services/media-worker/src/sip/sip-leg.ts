import { sipLogKey } from '@calls/api-contract/call-objects';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { SipTermination } from '@calls/api-contract/rest/enums';
import type { Clock } from '@calls/foundation/clock';
import type { EndDetails, HeldCall } from '../calls/held-call.ts';

/** What is told of the connection of one call when that ends. */
export class SipLeg {
  readonly #spec: CallSpec;
  readonly #dialledAtMs: number;
  readonly #clock: Pick<Clock, 'wallMs'>;
  #reason: SipTermination | null = null;
  #told: SipTermination | null = null;

  /** Of a call that was dialled at `dialledAtMs` (epoch). */
  constructor(call: Pick<HeldCall, 'spec' | 'endsWith'>, dialledAtMs: number, clock: Pick<Clock, 'wallMs'>) {
    this.#spec = call.spec;
    this.#dialledAtMs = dialledAtMs;
    this.#clock = clock;
    call.endsWith(() => this.#details());
  }

  /** Null for a call of whose words nothing is kept. */
  get logKey(): string | null {
    return this.#spec.retention === 'zdr' ? null : sipLogKey(this.#spec);
  }

  /** As it was told, or would be now. */
  get reason(): SipTermination {
    return (
      this.#told ??
      this.#reason ??
      (this.#isOverdue() ? 'SIP_TERMINATION_TIMEOUT' : 'SIP_TERMINATION_CANCELED')
    );
  }

  /** A call that nothing was settled of was given up. What is settled later counts. */
  settle(reason: SipTermination): void {
    this.#reason = reason;
  }

  #details(): EndDetails {
    this.#told = this.reason;
    const durationMs = Math.max(0, Math.round(this.#clock.wallMs() - this.#dialledAtMs));
    const { logKey } = this;
    return { sip: { dialledAtMs: this.#dialledAtMs, durationMs, terminationReason: this.#told, logKey } };
  }

  #isOverdue(): boolean {
    const { createdAtMs, joinTimeoutMs } = this.#spec;
    return this.#clock.wallMs() >= createdAtMs + joinTimeoutMs;
  }
}
