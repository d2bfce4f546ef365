/** Of one direction. */
export interface PacketCounts {
  packets: number;
  lost: number;
}

/** Packets of the client by result. */
export interface InputCounts extends PacketCounts {
  /** Of those lost: made up from what the next one carried. */
  recovered: number;
  /** Of those lost: made up from what was before. */
  concealed: number;
  /** Of those that came, the ones that were of no use. */
  late: number;
  duplicate: number;
  malformed: number;
}

/** What the connection was like since the last sample. */
export type LinkSample =
  | ({
      direction: 'in';
      /** Interarrival jitter (RFC 3550). */
      jitterMs: number;
      /** How long a missing packet is waited for. */
      waitMs: number;
    } & InputCounts)
  | ({
      direction: 'out';
      /** There and back, as the client's reports have it; null where they don't. */
      roundTripMs: number | null;
    } & PacketCounts);

/** Makes of counts that grow what they grew by. */
export class CounterDelta {
  readonly #highest = new Map<string, number>();

  /** Never negative: less is said to be lost where late packets turn up. */
  of<T extends object>(counts: T & Record<keyof T, number>): Record<keyof T, number> {
    const grown = Object.entries<number>(counts).map(([name, count]) => {
      const before = this.#highest.get(name) ?? 0;
      this.#highest.set(name, Math.max(before, count));
      return [name, Math.max(0, count - before)];
    });
    return Object.fromEntries(grown) as Record<keyof T, number>;
  }
}
