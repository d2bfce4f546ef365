/** Reports the first occurrence at once and then at most one total per interval. */
export class WarningThrottle {
  readonly #intervalMs: number;
  readonly #report: (totalMs: number) => void;
  #lastReportMs = Number.NEGATIVE_INFINITY;
  #totalMs = 0;

  constructor(intervalMs: number, report: (totalMs: number) => void) {
    this.#intervalMs = intervalMs;
    this.#report = report;
  }

  add(durationMs: number, nowMs: number): void {
    this.#totalMs += durationMs;
    if (nowMs - this.#lastReportMs < this.#intervalMs) return;
    this.#lastReportMs = nowMs;
    const totalMs = this.#totalMs;
    this.#totalMs = 0;
    this.#report(totalMs);
  }
}
