import { SampleTimeline } from './sample-timeline.ts';

/** Short pieces are merged up to this length: 20 ms at 16 kHz. */
const PIECE_SAMPLES = 320;
/** Smaller shifts are ignored: delays vary, and clocks drift slowly. */
const TOLERANCE_SAMPLES = 320;

interface Piece {
  /** Sample counts at its start and end, since the beginning of the track. */
  startSeq: number;
  endSeq: number;
  /** Latest possible start: with it, the piece ends when it arrived. */
  latestStart: number;
  /** Earliest possible start, derived from the least delayed of the following pieces. */
  earliestStart: number;
}

/**
 * A track of audio that arrives roughly in real time. Each piece follows the one before, with two exceptions:
 * if it arrived too early for that, the overlap is cut; if even the least delayed of the following pieces
 * implies a later start, silence is inserted. A delayed burst thus ends up where it was spoken, and the track
 * follows the local clock.
 */
export class ArrivalTrack {
  readonly #samples: SampleTimeline;
  #pieces: Piece[] = [];
  #receivedSamples = 0;
  /** Position of the next piece. */
  #next = 0;

  constructor(capacitySamples: number) {
    this.#samples = new SampleTimeline(capacitySamples);
  }

  /** Adds audio that had arrived by position `arrivedAt`. Audio beyond the capacity is dropped. */
  push(samples: Int16Array, arrivedAt: number): void {
    const startSeq = this.#receivedSamples;
    const length = Math.min(samples.length, this.#samples.end - startSeq);
    if (length <= 0) return;
    this.#samples.write(startSeq, samples);
    this.#receivedSamples += length;
    let last = this.#pieces.at(-1);
    if (!last || last.endSeq - last.startSeq >= PIECE_SAMPLES) {
      last = { startSeq, endSeq: startSeq, latestStart: 0, earliestStart: 0 };
      this.#pieces.push(last);
    }
    last.endSeq = this.#receivedSamples;
    last.latestStart = arrivedAt - (last.endSeq - last.startSeq);
  }

  /**
   * Copies the samples from `from` on to `target`, which must be silent. Call it with consecutive ranges; audio that
   * is late for its range is moved behind it.
   */
  render(from: number, target: Int16Array): void {
    const end = from + target.length;
    this.#judgeDelays();
    let done = 0;
    for (const piece of this.#pieces) {
      const start = this.#place(piece);
      if (start >= end) break;
      const length = Math.min(piece.endSeq - piece.startSeq, end - start);
      this.#samples.read(piece.startSeq, target.subarray(start - from, start - from + length));
      piece.startSeq += length;
      piece.latestStart += length;
      this.#next = start + length;
      if (piece.startSeq < piece.endSeq) break;
      done += 1;
    }
    if (done > 0) this.#pieces = this.#pieces.slice(done);
    this.#next = Math.max(this.#next, end);
    this.#samples.advance(this.#pieces[0]?.startSeq ?? this.#receivedSamples);
  }

  /** Drops all audio. */
  close(): void {
    this.#pieces = [];
    this.#samples.clear();
  }

  #judgeDelays(): void {
    let leastDelayed = Number.POSITIVE_INFINITY;
    for (let i = this.#pieces.length - 1; i >= 0; i -= 1) {
      const piece = this.#pieces[i];
      if (!piece) continue;
      leastDelayed = Math.min(leastDelayed, piece.latestStart - piece.startSeq);
      piece.earliestStart = piece.startSeq + leastDelayed;
    }
  }

  /** Start of the piece; the part that overlaps with earlier audio is cut. */
  #place(piece: Piece): number {
    if (piece.earliestStart > this.#next + TOLERANCE_SAMPLES) return piece.earliestStart;
    const overlap = this.#next - piece.latestStart;
    if (overlap > TOLERANCE_SAMPLES) {
      piece.startSeq = Math.min(piece.startSeq + overlap, piece.endSeq);
      piece.latestStart += overlap;
    }
    return this.#next;
  }
}
