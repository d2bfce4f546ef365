/** By how much sequence number `a` is after `b`: -32768 to 32767. */
export function sequenceDelta(a: number, b: number): number {
  return ((a - b) << 16) >> 16;
}

/** By how much timestamp `a` is after `b`: -2^31 to 2^31 - 1. */
export function timestampDelta(a: number, b: number): number {
  return (a - b) | 0;
}

/** A jump ahead from this many packets on is a restart of the source rather than loss (RFC 3550 A.1). */
export const MAX_DROPOUT_PACKETS = 3000;
/** A packet from further back is a restart of the source rather than reordering. */
export const MAX_MISORDERED_PACKETS = 100;

/**
 * Makes 16-bit sequence numbers of one source unbounded: they go on over a wrap. After a restart of the source they go on
 * one after the highest so far, so that order always holds.
 */
export class SequenceExtender {
  #offset = 0;
  #highest: number | null = null;
  /** The number that would prove a restart. */
  #afterJump: number | null = null;
  #restarts = 0;

  /** Of those that `extend` returned; null before the first. */
  get highest(): number | null {
    return this.#highest;
  }

  get restarts(): number {
    return this.#restarts;
  }

  /**
   * The extended number of a packet; null where it is so far off that only another one right after it would prove a restart:
   * that packet is of no use.
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

  /** The source restarted with this packet (for example with another SSRC). */
  restart(sequenceNumber: number): number {
    this.#afterJump = null;
    if (this.#highest === null) return (this.#highest = sequenceNumber);
    this.#restarts += 1;
    this.#highest += 1;
    this.#offset = sequenceDelta(sequenceNumber, this.#highest);
    return this.#highest;
  }
}
