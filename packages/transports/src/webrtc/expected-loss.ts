import type { PacketCounts } from '../link-statistics.ts';

/** More loss needs no more redundancy. */
const MOST_PERCENT = 30;

/** Estimates the loss of future packets from past loss. Rises immediately, and halves with each report. */
export class ExpectedLoss {
  #percent = 0;

  /** `packets`: sent since the last report. Returns whole percents; below 1 is 0. */
  after({ packets, lost }: PacketCounts): number {
    const measured = packets === 0 ? 0 : (100 * lost) / packets;
    this.#percent = Math.min(MOST_PERCENT, Math.max(measured, this.#percent / 2));
    return Math.floor(this.#percent);
  }
}
