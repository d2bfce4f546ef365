import type { Clock, Timer } from '@calls/foundation/clock';

/** The peer must report on an accepted REFER immediately (RFC 3515, 2.4.4); some never do. */
export const FIRST_REPORT_LIMIT_MS = 5000;
/** Time for the target to answer after the first report. */
export const RESULT_LIMIT_MS = 60_000;

const STATUS_LINE = /^SIP\/2\.0 (?<status>[1-6]\d\d)\b/u;

/** A REFER and the peer's NOTIFY requests about it (RFC 3515). */
export class Referral {
  /** Whether the target has answered; also true if an accepted REFER gets no result. */
  readonly succeeded: Promise<boolean>;
  readonly #clock: Clock;
  readonly #settle: (succeeded: boolean) => void;
  #timer: Timer | null = null;
  #isSettled = false;

  constructor(clock: Clock) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.succeeded = promise;
    this.#settle = resolve;
    this.#clock = clock;
  }

  /** Call it when the peer has accepted the REFER. Reports may have arrived before. */
  accepted(): void {
    if (!this.#timer) this.#waitFor(FIRST_REPORT_LIMIT_MS);
  }

  /**
   * `body`: a status line of the peer's call to the target (message/sipfrag, RFC 3420). `isLast`: the peer will not report
   * again.
   */
  reported(body: string, isLast: boolean): void {
    const status = Number(STATUS_LINE.exec(body)?.groups?.['status']);
    if (status >= 200) this.settle(status < 300);
    else if (isLast) this.settle(true);
    else this.#waitFor(RESULT_LIMIT_MS);
  }

  /** Sets the result. Later results have no effect. */
  settle(succeeded: boolean): void {
    this.#isSettled = true;
    this.#timer?.cancel();
    this.#settle(succeeded);
  }

  #waitFor(limitMs: number): void {
    this.#timer?.cancel();
    if (this.#isSettled) return;
    this.#timer = this.#clock.setTimer(limitMs, () => this.settle(true));
  }
}
