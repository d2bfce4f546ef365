import { createResampler, type Resampler } from '@calls/audio/resampler';
import { toError } from '@calls/foundation/errors';
import { AgentUtterance } from '../playout/agent-utterance.ts';
import type { GenerationRounds, GenerationTimes } from './generation-rounds.ts';
import type { ResponseRecord } from './response-record.ts';
import type { Sentence } from './sentence-builder.ts';
import { SentenceSplitter } from './sentence-splitter.ts';
import type { Speaker, SpokenChunk } from './speaker.ts';

/** Audio that may wait ahead of the playhead; a generation that is ahead of it waits. */
const MAX_AHEAD_MS = 10_000;
/** Of a phrase that is said while tools run. */
const FILLER_SEGMENT = -1;

export interface VoiceGenerationOptions {
  steps: GenerationRounds;
  record: ResponseRecord;
  speaker: Speaker;
  outputSampleRateHz: number;
  nowMs: () => number;
  onFault: (fault: Error) => void;
  /** More audio, or the end. */
  onProgress: () => void;
}

/** A phrase ahead of a response that takes long. */
interface Filler {
  /** Its first audio is there. */
  begun: boolean;
  drop: AbortController;
  /** Never rejects. */
  done: Promise<void>;
}

/**
 * One answer in the making: words cut into sentences, spoken, resampled to the output rate and kept in `utterance` until
 * the playout takes them. Touches nothing outside itself, so that dropping it leaves no trace.
 */
export class VoiceGeneration {
  readonly utterance: AgentUtterance;
  readonly steps: GenerationRounds;
  readonly record: ResponseRecord;
  readonly #options: VoiceGenerationOptions;
  #segment = 0;
  #filler: Filler | null = null;

  constructor(options: VoiceGenerationOptions) {
    this.#options = options;
    this.steps = options.steps;
    this.record = options.record;
    this.utterance = new AgentUtterance(options.outputSampleRateHz, MAX_AHEAD_MS);
    void this.#run();
  }

  get times(): GenerationTimes {
    return this.steps.times;
  }

  /** Stops all work on it. Idempotent. */
  abort(): void {
    this.steps.abort();
    this.utterance.release(Number.POSITIVE_INFINITY);
  }

  /** Puts a phrase ahead of a response; false if there is sound of it, or another phrase, already. */
  fill(text: string): boolean {
    if (this.#filler || this.utterance.writtenSamples > 0 || this.utterance.complete) return false;
    // While tools run, the words before them are complete.
    const own = this.utterance.segments.at(-1)?.endChar !== null;
    if (own) this.utterance.beginSegment(FILLER_SEGMENT);
    this.record.openSegment(own ? FILLER_SEGMENT : this.#segment);
    const drop = new AbortController();
    const signal = AbortSignal.any([this.steps.signal, drop.signal]);
    const filler: Filler = { begun: false, drop, done: Promise.resolve() };
    const begin = (): Promise<void> => {
      filler.begun = true;
      return Promise.resolve();
    };
    filler.done = this.#speak(this.#options.speaker.speakSoon(text, signal), signal, begin)
      .catch((thrown: unknown) => {
        if (!signal.aborted) this.#options.onFault(toError(thrown));
      })
      .then(() => {
        if (own) this.utterance.endSegment();
        // One that failed leaves the place to the next.
        this.#filler = null;
      });
    this.#filler = filler;
    return true;
  }

  /** The response goes behind a filler that has begun; one that has not is not needed any more. */
  async #passFiller(): Promise<void> {
    if (this.#filler?.begun === false) this.#filler.drop.abort(new Error('filler dropped'));
    await this.#filler?.done;
  }

  async #run(): Promise<void> {
    const { steps, utterance } = this;
    try {
      for await (const { segment, texts } of steps.run((samples) => utterance.appendSound(samples))) {
        await this.#filler?.done;
        this.#segment = segment;
        utterance.beginSegment(segment);
        const spoken = this.#options.speaker.speak(piecesOf(texts), steps.signal);
        await this.#speak(spoken, steps.signal, () => this.#passFiller());
        await this.#filler?.done;
        utterance.endSegment();
        this.#options.onProgress();
      }
    } catch (thrown) {
      steps.fail(thrown);
    }
    await this.#filler?.done;
    if (steps.signal.aborted) return;
    utterance.finish(steps.failed);
    this.#options.onProgress();
  }

  /** Moves speech into the utterance; `before` is awaited ahead of each piece of it. */
  async #speak(
    chunks: AsyncIterable<SpokenChunk>,
    signal: AbortSignal,
    before: () => Promise<void>,
  ): Promise<void> {
    let resampler: Resampler | null = null;
    const flush = (): void => {
      if (resampler) this.utterance.append(resampler.flush());
    };
    try {
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        await before();
        switch (chunk.type) {
          case 'sentence':
            flush();
            this.utterance.beginSentence(chunk.shown);
            break;
          case 'words':
            this.utterance.timeWords(chunk.words);
            break;
          case 'audio':
            resampler = this.#resamplerFor(resampler, chunk.sampleRateHz);
            this.#append(resampler.process(chunk.samples), chunk.samples);
            await this.utterance.room();
            break;
        }
      }
      flush();
      this.utterance.endSentence();
    } finally {
      resampler?.close();
    }
  }

  #resamplerFor(current: Resampler | null, inputRateHz: number): Resampler {
    if (current?.inputRateHz === inputRateHz) return current;
    if (current) {
      this.utterance.append(current.flush());
      current.close();
    }
    return createResampler(inputRateHz, this.#options.outputSampleRateHz);
  }

  #append(resampled: Int16Array, original: Int16Array): void {
    // At the same rate the resampler hands its input back, which is the engine's to reuse.
    this.utterance.append(resampled === original ? original.slice() : resampled);
    this.times.firstAudioMs ??= this.#options.nowMs();
    this.#options.onProgress();
  }
}

async function* piecesOf(texts: AsyncIterable<string>): AsyncGenerator<Sentence> {
  const splitter = new SentenceSplitter();
  for await (const text of texts) yield* splitter.push(text);
  yield* splitter.flush();
}
