/** Of one direction, since the beginning. */
export interface PacketCounts {
  packets: number;
  lost: number;
}

/** What the connection was like since the last sample. */
export interface LinkSample {
  direction: 'in' | 'out';
  packets: number;
  lost: number;
  /** In: interarrival jitter (RFC 3550). */
  jitterMs?: number;
  /** Out: there and back, as the client's reports have it. */
  roundTripMs?: number;
}

/** Makes counts that grow differences. */
export class PacketDifference {
  #last: PacketCounts = { packets: 0, lost: 0 };

  /** Of `lost` less is said where late packets turn up: never less than nothing is lost. */
  since({ packets, lost }: PacketCounts): PacketCounts {
    const difference = {
      packets: Math.max(0, packets - this.#last.packets),
      lost: Math.max(0, lost - this.#last.lost),
    };
    this.#last = { packets, lost: Math.max(lost, this.#last.lost) };
    return difference;
  }
}
