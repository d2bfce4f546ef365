import type { PacketCounts } from '../link-statistics.ts';

/** More than this of loss needs no more redundancy. */
const MOST_PERCENT = 30;

/** What part of the packets to come will be lost, by what was lost: grows at once, and halves from report to report. */
export class ExpectedLoss {
  #percent = 0;

  /** What was sent since the last report. Whole percents; below 1 is 0. */
  after({ packets, lost }: PacketCounts): number {
    const measured = packets === 0 ? 0 : (100 * lost) / packets;
    this.#percent = Math.min(MOST_PERCENT, Math.max(measured, this.#percent / 2));
    return Math.floor(this.#percent);
  }
}
