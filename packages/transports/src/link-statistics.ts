/** How often transports report their statistics. */
export const SAMPLE_EVERY_MS = 5000;

/** Counts of one direction. */
export interface PacketCounts {
  packets: number;
  lost: number;
}

/** Packets of the client by result. */
export interface InputCounts extends PacketCounts {
  /** Lost packets that were recovered from their successor. */
  recovered: number;
  /** Lost packets that were concealed. */
  concealed: number;
  /** Packets that arrived too late. */
  late: number;
  duplicate: number;
  malformed: number;
}

/** Statistics of a connection since the last sample. */
export type LinkSample =
  | ({
      direction: 'in';
      /** Interarrival jitter (RFC 3550). */
      jitterMs: number;
      /** How long the receiver waits for a missing packet. */
      waitMs: number;
    } & InputCounts)
  | ({
      direction: 'out';
      /** Round trip time from the client's reports; null if it sends none. */
      roundTripMs: number | null;
    } & PacketCounts);

/** Converts growing counters to increments. */
export class CounterDelta {
  readonly #highest = new Map<string, number>();

  /** Never negative: late packets reduce the number of lost packets. */
  of<T extends object>(counts: T & Record<keyof T, number>): Record<keyof T, number> {
    const grown = Object.entries<number>(counts).map(([name, count]) => {
      const before = this.#highest.get(name) ?? 0;
      this.#highest.set(name, Math.max(before, count));
      return [name, Math.max(0, count - before)];
    });
    return Object.fromEntries(grown) as Record<keyof T, number>;
  }
}

/** Upper bound of the estimate: higher loss needs no further redundancy. */
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
