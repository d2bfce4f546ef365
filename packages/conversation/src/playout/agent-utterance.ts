import type { WordTiming } from '@calls/engine-ports/text-to-speech';

/** Duration of an output frame. */
export const FRAME_MS = 20;

/** Samples up to this magnitude (-56 dBFS) are silence. */
const SILENCE = 50;

/** Speech rate assumed until the length of a sentence is known, in characters per second. */
const ASSUMED_CHARS_PER_SECOND = 15;

interface SpokenSentence {
  shown: string;
  /** Index of the sentence's first character in the text of the utterance. */
  startChar: number;
  startSample: number;
  /** Null while audio of this sentence is still arriving. */
  endSample: number | null;
  words: readonly WordTiming[];
}

/** A range of characters of the text. */
export interface SpokenSegment {
  segment: number;
  startChar: number;
  /** Null while the segment is open. */
  endChar: number | null;
}

interface AudioPiece {
  startSample: number;
  samples: Int16Array;
}

/**
 * Audio of one response at the output rate, and the text it speaks, on one sample axis. Written by a
 * generation, read by the playout. Released audio is dropped.
 */
export class AgentUtterance {
  readonly sampleRateHz: number;
  readonly #capacitySamples: number;
  readonly #frameSamples: number;
  readonly #sentences: SpokenSentence[] = [];
  readonly #segments: SpokenSegment[] = [];
  #pieces: AudioPiece[] = [];
  #text = '';
  #writtenSamples = 0;
  /** Number of silent samples before the first sound. */
  #silentSamples = 0;
  #releasedSamples = 0;
  #complete = false;
  #failed = false;
  #roomWaiter: (() => void) | null = null;
  readonly #playedWaiters = new Set<() => void>();

  constructor(sampleRateHz: number, capacityMs: number) {
    this.sampleRateHz = sampleRateHz;
    this.#frameSamples = Math.round((FRAME_MS * sampleRateHz) / 1000);
    this.#capacitySamples = Math.ceil((capacityMs * sampleRateHz) / 1000);
  }

  get writtenSamples(): number {
    return this.#writtenSamples;
  }

  /** Leading silence in the audio written so far. */
  get leadingSilenceMs(): number {
    return (this.#silentSamples * 1000) / this.sampleRateHz;
  }

  /** True once nothing more will be written. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Whether an error ended the utterance early. */
  get failed(): boolean {
    return this.#failed;
  }

  /** The text so far as shown in transcript and history, without markup. */
  get text(): string {
    return this.#text;
  }

  /** One segment per generation round, in order. */
  get segments(): readonly SpokenSegment[] {
    return this.#segments;
  }

  beginSegment(segment: number): void {
    this.#segments.push({ segment, startChar: this.#text.length, endChar: null });
  }

  endSegment(): void {
    this.endSentence();
    const segment = this.#segments.at(-1);
    if (segment) segment.endChar ??= this.#text.length;
  }

  /** Starts a sentence: the audio that follows speaks `shown`. */
  beginSentence(shown: string): void {
    this.endSentence();
    this.#sentences.push({
      shown,
      startChar: this.#text.length,
      startSample: this.#writtenSamples,
      endSample: null,
      words: [],
    });
    this.#text += shown;
  }

  /**
   * Ends the current sentence and pads it to whole frames; otherwise its last words would play only with the
   * next sentence.
   */
  endSentence(): void {
    const sentence = this.#sentences.at(-1);
    if (sentence?.endSample !== null) return;
    this.#fillFrame();
    sentence.endSample = this.#writtenSamples;
  }

  /** Appends audio without text, at `sampleRateHz`. Takes ownership. */
  appendSound(samples: Int16Array): void {
    this.endSentence();
    this.append(samples);
    this.#fillFrame();
  }

  #fillFrame(): void {
    const rest = this.#writtenSamples % this.#frameSamples;
    if (rest > 0) this.append(new Int16Array(this.#frameSamples - rest));
  }

  timeWords(words: readonly WordTiming[]): void {
    const sentence = this.#sentences.at(-1);
    if (sentence) sentence.words = words;
  }

  /** Takes ownership of `samples`. */
  append(samples: Int16Array): void {
    if (samples.length === 0) return;
    this.#pieces.push({ startSample: this.#writtenSamples, samples });
    if (this.#silentSamples === this.#writtenSamples) {
      const sound = samples.findIndex((sample) => Math.abs(sample) > SILENCE);
      this.#silentSamples += sound < 0 ? samples.length : sound;
    }
    this.#writtenSamples += samples.length;
  }

  finish(failed: boolean): void {
    this.endSegment();
    this.#complete = true;
    this.#failed = failed;
  }

  /** Resolves when there is room for more audio. */
  room(): Promise<void> {
    if (this.#writtenSamples - this.#releasedSamples < this.#capacitySamples) return Promise.resolve();
    return new Promise((resolve) => {
      this.#roomWaiter = resolve;
    });
  }

  /** Resolves when all audio written so far is played. */
  played(): Promise<void> {
    const untilSample = this.#writtenSamples;
    if (this.#releasedSamples >= untilSample) return Promise.resolve();
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#releasedSamples < untilSample) return;
        this.#playedWaiters.delete(check);
        resolve();
      };
      this.#playedWaiters.add(check);
    });
  }

  /** Copies audio from `position` on to `target`; returns the number of samples copied. */
  read(position: number, target: Int16Array): number {
    let copied = 0;
    for (const piece of this.#pieces) {
      const from = position + copied - piece.startSample;
      if (from >= piece.samples.length) continue;
      if (from < 0 || copied === target.length) break;
      const part = piece.samples.subarray(from, from + target.length - copied);
      target.set(part, copied);
      copied += part.length;
    }
    return copied;
  }

  /** Drops audio before `position`; it must not be read again. */
  release(position: number): void {
    let drop = 0;
    for (const piece of this.#pieces) {
      if (piece.startSample + piece.samples.length > position) break;
      drop += 1;
    }
    if (drop > 0) this.#pieces = this.#pieces.slice(drop);
    this.#releasedSamples = Math.max(this.#releasedSamples, position);
    for (const check of this.#playedWaiters) check();
    if (this.#roomWaiter && this.#writtenSamples - this.#releasedSamples < this.#capacitySamples) {
      const wake = this.#roomWaiter;
      this.#roomWaiter = null;
      wake();
    }
  }

  /** Index in `text` of the sentence at the playback position `position`; -1 before the first. */
  currentSentenceChar(position: number): number {
    return this.#sentences.findLast(({ startSample }) => startSample < position)?.startChar ?? -1;
  }

  /** Number of characters of `text` that are played at the playback position `position`; whole words only. */
  playedChars(position: number): number {
    for (let i = this.#sentences.length - 1; i >= 0; i -= 1) {
      const sentence = this.#sentences[i];
      if (!sentence || sentence.startSample >= position) continue;
      if (sentence.endSample !== null && position >= sentence.endSample) {
        return sentence.startChar + sentence.shown.length;
      }
      return sentence.startChar + this.#playedCharsOf(sentence, position);
    }
    return 0;
  }

  #playedCharsOf(sentence: SpokenSentence, position: number): number {
    const playedMs = ((position - sentence.startSample) * 1000) / this.sampleRateHz;
    if (sentence.words.length > 0) return charsOfWords(sentence, playedMs);
    const lengthMs =
      sentence.endSample === null
        ? (sentence.shown.length * 1000) / ASSUMED_CHARS_PER_SECOND
        : ((sentence.endSample - sentence.startSample) * 1000) / this.sampleRateHz;
    const chars = Math.min(
      sentence.shown.length,
      Math.floor((sentence.shown.length * playedMs) / Math.max(1, lengthMs)),
    );
    return chars === sentence.shown.length && sentence.endSample !== null
      ? chars
      : wordStart(sentence.shown, chars);
  }
}

/** Start of the word at `index`. */
function wordStart(text: string, index: number): number {
  // Scripts without spaces are counted by character.
  const words = text.trim();
  if (!/\s/u.test(words)) return /^[\p{Script=Latin}\p{Script=Cyrillic}\d\p{P}]+$/u.test(words) ? 0 : index;
  let start = Math.min(index, text.length);
  while (start > 0 && !/\s/u.test(text.charAt(start - 1))) start -= 1;
  return start;
}

function charsOfWords(sentence: SpokenSentence, playedMs: number): number {
  let chars = 0;
  for (const { word, endMs } of sentence.words) {
    if (endMs > playedMs) break;
    const at = sentence.shown.indexOf(word, chars);
    if (at >= 0) chars = at + word.length;
  }
  return chars;
}
