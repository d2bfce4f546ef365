import { SampleTimeline } from './sample-timeline.ts';

/** Small pieces are put together until they are this long: 20 ms at 16 kHz. */
const PIECE_SAMPLES = 320;
/** Nothing is moved for less: delays vary all the time, and clocks run apart slowly. */
const TOLERANCE_SAMPLES = 320;

interface Piece {
  /** Of its first sample and of the one after its last, in samples received since the beginning. */
  startSeq: number;
  endSeq: number;
  /** It can't have been spoken later: with this start it ends as it arrives. */
  latestStart: number;
  /** Where it was spoken, as far as the least delayed of the pieces after it tells. */
  earliestStart: number;
}

/**
 * A track of audio that arrives in real time, more or less. Each piece is put where the one before it ended, unless it
 * arrived before that (then what overlaps is left out) or even the least delayed of the pieces after it says that it was
 * spoken later (then there is silence in between). So audio that was held up and comes in a burst stands where it was
 * spoken, and the track stays on our clock whatever the client's does.
 */
export class ArrivalTrack {
  readonly #samples: SampleTimeline;
  #pieces: Piece[] = [];
  #receivedSamples = 0;
  /** Where the next piece goes. */
  #next = 0;

  constructor(capacitySamples: number) {
    this.#samples = new SampleTimeline(capacitySamples);
  }

  /** Takes audio that had arrived at position `arrivedAt`. What there is no room for is left out. */
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
   * Writes the stretch of `count` samples from `from` on to every `stride`th place of `target` from `targetIndex` on;
   * `target` is silent before. To be called with one stretch after the other; what comes too late for its stretch is put
   * behind it.
   */
  render(from: number, count: number, target: Int16Array, targetIndex: number, stride: number): void {
    const end = from + count;
    this.#judgeDelays();
    let done = 0;
    for (const piece of this.#pieces) {
      const start = this.#place(piece);
      if (start >= end) break;
      const length = Math.min(piece.endSeq - piece.startSeq, end - start);
      this.#samples.read(piece.startSeq, length, target, targetIndex + (start - from) * stride, stride);
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

  #judgeDelays(): void {
    let leastDelayed = Number.POSITIVE_INFINITY;
    for (let i = this.#pieces.length - 1; i >= 0; i -= 1) {
      const piece = this.#pieces[i];
      if (!piece) continue;
      leastDelayed = Math.min(leastDelayed, piece.latestStart - piece.startSeq);
      piece.earliestStart = piece.startSeq + leastDelayed;
    }
  }

  /** Where the piece begins; what of it can't be placed is cut off. */
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
