import type { WordTiming } from '../ports/text-to-speech.ts';

/** Length of the frames that go out. */
export const FRAME_MS = 20;

/** Speech per second that is assumed while a sentence's length is not known yet, in characters. */
const ASSUMED_CHARS_PER_SECOND = 15;

interface SpokenSentence {
  shown: string;
  /** Index of the sentence's first character in the whole text. */
  startChar: number;
  startSample: number;
  /** Null while audio of this sentence still comes. */
  endSample: number | null;
  words: readonly WordTiming[];
}

/** A part of the words, from one character to another. */
export interface SpokenSegment {
  segment: number;
  startChar: number;
  /** Null while more of it may come. */
  endChar: number | null;
}

interface AudioPiece {
  startSample: number;
  samples: Int16Array;
}

/**
 * One utterance of the agent: its audio at the output rate and the words that the audio speaks, on one axis of samples.
 * Written by a generation, read by the playout. Holds what is ahead of the playhead and not much behind it.
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
  #releasedSamples = 0;
  #complete = false;
  #failed = false;
  #roomWanted: (() => void) | null = null;

  constructor(sampleRateHz: number, capacityMs: number) {
    this.sampleRateHz = sampleRateHz;
    this.#frameSamples = Math.round((FRAME_MS * sampleRateHz) / 1000);
    this.#capacitySamples = Math.ceil((capacityMs * sampleRateHz) / 1000);
  }

  get writtenSamples(): number {
    return this.#writtenSamples;
  }

  /** True once nothing more will be written. */
  get complete(): boolean {
    return this.#complete;
  }

  /** It was cut short by a fault. */
  get failed(): boolean {
    return this.#failed;
  }

  /** All its words so far, as transcript and history show them: without the marks that no voice speaks. */
  get text(): string {
    return this.#text;
  }

  /** What it says between one round of tools and the next, in order. */
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

  /** The audio that follows speaks `shown`. */
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

  /** All audio of the current sentence is there. It is padded to whole frames, or its last words would wait for the next. */
  endSentence(): void {
    const sentence = this.#sentences.at(-1);
    if (sentence?.endSample !== null) return;
    this.#fillFrame();
    sentence.endSample = this.#writtenSamples;
  }

  /** What is heard next has no words. At `sampleRateHz`; takes ownership. */
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
    this.#writtenSamples += samples.length;
  }

  finish(failed: boolean): void {
    this.endSegment();
    this.#complete = true;
    this.#failed = failed;
  }

  /** Resolves when there is room for more audio; at once while there is. */
  room(): Promise<void> {
    if (this.#writtenSamples - this.#releasedSamples < this.#capacitySamples) return Promise.resolve();
    return new Promise((resolve) => {
      this.#roomWanted = resolve;
    });
  }

  /** Copies audio from `position` on into `target`; returns how many samples there were. */
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

  /** Drops audio before `position`; it will not be read again. */
  release(position: number): void {
    let drop = 0;
    for (const piece of this.#pieces) {
      if (piece.startSample + piece.samples.length > position) break;
      drop += 1;
    }
    if (drop > 0) this.#pieces = this.#pieces.slice(drop);
    this.#releasedSamples = Math.max(this.#releasedSamples, position);
    if (this.#roomWanted && this.#writtenSamples - this.#releasedSamples < this.#capacitySamples) {
      const wake = this.#roomWanted;
      this.#roomWanted = null;
      wake();
    }
  }

  /** Index in `text` of the sentence that sounds, or did last, when the playhead is at `position`; -1 before the first. */
  soundingChar(position: number): number {
    return this.#sentences.findLast(({ startSample }) => startSample < position)?.startChar ?? -1;
  }

  /** How many characters of `text` have been heard when the playhead is at `position`; whole words only. */
  playedChars(position: number): number {
    for (let i = this.#sentences.length - 1; i >= 0; i -= 1) {
      const sentence = this.#sentences[i];
      if (!sentence || sentence.startSample >= position) continue;
      if (sentence.endSample !== null && position >= sentence.endSample) {
        return sentence.startChar + sentence.shown.length;
      }
      return sentence.startChar + this.#heardOf(sentence, position);
    }
    return 0;
  }

  #heardOf(sentence: SpokenSentence, position: number): number {
    const heardMs = ((position - sentence.startSample) * 1000) / this.sampleRateHz;
    if (sentence.words.length > 0) return charsOfWords(sentence, heardMs);
    const lengthMs =
      sentence.endSample === null
        ? (sentence.shown.length * 1000) / ASSUMED_CHARS_PER_SECOND
        : ((sentence.endSample - sentence.startSample) * 1000) / this.sampleRateHz;
    const chars = Math.min(
      sentence.shown.length,
      Math.floor((sentence.shown.length * heardMs) / Math.max(1, lengthMs)),
    );
    return chars === sentence.shown.length && sentence.endSample !== null
      ? chars
      : wordStart(sentence.shown, chars);
  }
}

/** The start of the word that `index` is inside of; everything before it is whole words. */
function wordStart(text: string, index: number): number {
  // Scripts without spaces are heard character by character.
  const words = text.trim();
  if (!/\s/u.test(words)) return /^[\p{Script=Latin}\p{Script=Cyrillic}\d\p{P}]+$/u.test(words) ? 0 : index;
  let start = Math.min(index, text.length);
  while (start > 0 && !/\s/u.test(text.charAt(start - 1))) start -= 1;
  return start;
}

function charsOfWords(sentence: SpokenSentence, heardMs: number): number {
  let chars = 0;
  for (const { word, endMs } of sentence.words) {
    if (endMs > heardMs) break;
    const at = sentence.shown.indexOf(word, chars);
    if (at >= 0) chars = at + word.length;
  }
  return chars;
}
