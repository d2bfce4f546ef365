/** One order counts as wrong if it is this much rougher than the other. White noise is about equally rough in both. */
const RATIO = 4;
/** Samples that differ from their predecessor, in either order, before a decision. */
const MIN_CHANGES = 80;

/**
 * Detects the byte order of 16-bit samples. The media type L16 is big-endian (RFC 3551, 4.5.11), but providers that
 * use its name mostly send little-endian, and their documents differ. Neighbouring samples of speech and of line noise are
 * close together; with the bytes swapped they are far apart.
 */
export class L16ByteOrder {
  #isBigEndian = false;
  #isDecided = false;
  #changes = 0;
  #roughness = { little: 0, big: 0 };

  /** Little-endian until big-endian is detected. */
  get isBigEndian(): boolean {
    return this.#isBigEndian;
  }

  /** Takes received audio into account until the order is known. Digital silence decides nothing. */
  observe(bytes: Buffer): void {
    if (this.#isDecided) return;
    const { little, big } = this.#roughness;
    let [littleSum, bigSum] = [little, big];
    for (let at = 2; at + 1 < bytes.length; at += 2) {
      const littleStep = Math.abs(bytes.readInt16LE(at) - bytes.readInt16LE(at - 2));
      if (littleStep === 0) continue;
      littleSum += littleStep;
      bigSum += Math.abs(bytes.readInt16BE(at) - bytes.readInt16BE(at - 2));
      this.#changes += 1;
    }
    this.#roughness = { little: littleSum, big: bigSum };
    if (this.#changes < MIN_CHANGES) return;
    if (littleSum > RATIO * bigSum || bigSum > RATIO * littleSum) {
      this.#isBigEndian = bigSum < littleSum;
      this.#isDecided = true;
    }
  }
}
