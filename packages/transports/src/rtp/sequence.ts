/** Distance from sequence number `b` to `a`: -32768 to 32767. */
export function sequenceDelta(a: number, b: number): number {
  return ((a - b) << 16) >> 16;
}

/** Distance from timestamp `b` to `a`: -2^31 to 2^31 - 1. */
export function timestampDelta(a: number, b: number): number {
  return (a - b) | 0;
}

/** A larger jump forward is a restart of the source rather than loss (RFC 3550, A.1). */
const MAX_DROPOUT_PACKETS = 3000;
/** A larger jump backward is a restart of the source rather than reordering. */
const MAX_MISORDERED_PACKETS = 100;

/**
 * Extends the 16-bit sequence numbers of one source beyond wraps. After a restart of the source, they continue after
 * the highest so far, so that they stay ordered.
 */
export class SequenceExtender {
  #offset = 0;
  #highest: number | null = null;
  /** The sequence number whose arrival would confirm a restart. */
  #afterJump: number | null = null;
  #restarts = 0;

  /** Highest returned number; null before the first. */
  get highest(): number | null {
    return this.#highest;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /**
   * The extended number of a packet. Null if it is so far off that only its successor could confirm a restart; the
   * packet must be ignored.
   */
  extend(sequenceNumber: number): number | null {
    if (this.#highest === null) return (this.#highest = sequenceNumber);
    const delta = sequenceDelta(sequenceNumber, this.#highest + this.#offset);
    if (delta >= MAX_DROPOUT_PACKETS || delta <= -MAX_MISORDERED_PACKETS) {
      if (sequenceNumber === this.#afterJump) return this.restart(sequenceNumber);
      this.#afterJump = (sequenceNumber + 1) & 0xffff;
      return null;
    }
    this.#afterJump = null;
    const extended = this.#highest + delta;
    this.#highest = Math.max(this.#highest, extended);
    return extended;
  }

  /** The source restarted with this packet, for example with a new SSRC. */
  restart(sequenceNumber: number): number {
    this.#afterJump = null;
    if (this.#highest === null) return (this.#highest = sequenceNumber);
    this.#restarts += 1;
    this.#highest += 1;
    this.#offset = sequenceDelta(sequenceNumber, this.#highest);
    return this.#highest;
  }
}
