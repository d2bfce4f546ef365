import { concatSamples, samplesFromMs } from '@calls/audio/pcm';

type Queued = { samples: Int16Array } | { mark: string };

/** Providers queue at least a minute of audio. */
const MAX_QUEUED_MS = 60_000;
/** Audio above it is louder than line noise. */
export const SOUND_PEAK = 64;

/** Plays queued audio in real time, and silence when the queue is empty. */
export class Loudspeaker {
  readonly rateHz: number;
  readonly #played: Int16Array[] = [];
  #queue: Queued[] = [];
  #playedSamples = 0;
  #queuedSamples = 0;
  #lastSoundSample = -1;

  constructor(rateHz: number) {
    this.rateHz = rateHz;
  }

  get queuedMs(): number {
    return (this.#queuedSamples * 1000) / this.rateHz;
  }

  /** Time at which audio above the line noise was last played; null if never. */
  get lastSoundMs(): number | null {
    return this.#lastSoundSample < 0 ? null : (this.#lastSoundSample * 1000) / this.rateHz;
  }

  queue(samples: Int16Array): void {
    if (this.queuedMs > MAX_QUEUED_MS) throw new RangeError('more than a minute of audio is queued');
    this.#queue.push({ samples });
    this.#queuedSamples += samples.length;
  }

  mark(name: string): void {
    this.#queue.push({ mark: name });
  }

  /** Drops unplayed audio and returns its marks in order. */
  clear(): string[] {
    const marks = this.#queue.flatMap((queued) => ('mark' in queued ? [queued.mark] : []));
    this.#queue = [];
    this.#queuedSamples = 0;
    return marks;
  }

  /** Plays until this time and returns the marks that were reached, in order. */
  playUntil(toMs: number): string[] {
    const marks: string[] = [];
    let due = samplesFromMs(toMs, this.rateHz) - this.#playedSamples;
    for (let [head] = this.#queue; head !== undefined; [head] = this.#queue) {
      if ('mark' in head) {
        marks.push(head.mark);
        this.#queue.shift();
        continue;
      }
      if (due <= 0) break;
      const played = head.samples.subarray(0, due);
      this.#play(played);
      this.#queuedSamples -= played.length;
      due -= played.length;
      if (played.length === head.samples.length) this.#queue.shift();
      else head.samples = head.samples.subarray(played.length);
    }
    if (due > 0) this.#play(new Int16Array(due));
    return marks;
  }

  played(): Int16Array {
    return concatSamples(this.#played);
  }

  #play(samples: Int16Array): void {
    this.#played.push(samples);
    const last = samples.findLastIndex((sample) => Math.abs(sample) > SOUND_PEAK);
    if (last >= 0) this.#lastSoundSample = this.#playedSamples + last;
    this.#playedSamples += samples.length;
  }
}
