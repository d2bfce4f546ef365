import { createResampler, type Resampler } from '@calls/audio/resampler';
import { toError } from '@calls/foundation/errors';
import { AgentUtterance } from '../playout/agent-utterance.ts';
import type { GenerationRounds, GenerationTimes, RoundOutput } from './generation-rounds.ts';
import type { ResponseRecord } from './response-record.ts';
import { SentenceSplitter } from './sentence-splitter.ts';
import { sentencesOf } from './sentence-updates.ts';
import type { Speaker, SpokenChunk } from './speaker.ts';

/** Audio buffered ahead of the playback position; the generation waits beyond this. */
const MAX_AHEAD_MS = 10_000;
/** Segment id of a filler phrase played while tools run. */
const FILLER_SEGMENT = -1;

export interface VoiceGenerationOptions {
  steps: GenerationRounds;
  record: ResponseRecord;
  speaker: Speaker;
  outputSampleRateHz: number;
  nowMs: () => number;
  onError: (error: Error) => void;
  /** There is more audio, or the generation has ended. */
  onProgress: () => void;
}

/** A filler phrase before a slow response. */
interface Filler {
  /** Whether its first audio has arrived. */
  begun: boolean;
  drop: AbortController;
  /** Resolves when it ends; never rejects. */
  done: Promise<void>;
}

/**
 * Generates one spoken response: splits the text into sentences, synthesizes them, resamples the audio to the
 * output rate, and buffers it in `utterance`. Has no other side effects until committed.
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

  /**
   * The text from character `from` of the utterance to the end of the response, including what is not synthesized yet.
   * Null if the end is not known.
   */
  textFrom(from: number): string | null {
    const { lastRound } = this.steps;
    const { text, segments } = this.utterance;
    const segment = segments.at(-1);
    if (!lastRound || segment?.segment !== lastRound.segment) return null;
    const splitter = new SentenceSplitter();
    const sentences = [...splitter.push(lastRound.text), ...splitter.flush()];
    const whole = text.slice(0, segment.startChar) + sentences.map(({ shown }) => shown).join('');
    return whole.startsWith(text) ? whole.slice(from) : null;
  }

  /** Stops the generation. Idempotent. */
  abort(): void {
    this.steps.abort();
    this.utterance.release(Number.POSITIVE_INFINITY);
  }

  /** Inserts a filler phrase before the response. False if there is audio or another filler already. */
  fill(text: string): boolean {
    if (this.#filler || this.utterance.writtenSamples > 0 || this.utterance.complete) return false;
    // While tools run, the text before them is complete.
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
        if (!signal.aborted) this.#options.onError(toError(thrown));
      })
      .then(() => {
        if (own) this.utterance.endSegment();
        // Another filler may follow if this one failed.
        this.#filler = null;
      });
    this.#filler = filler;
    return true;
  }

  /** Waits for a filler that has started; drops one that has not. */
  async #passFiller(): Promise<void> {
    if (this.#filler?.begun === false) this.#filler.drop.abort(new Error('filler dropped'));
    await this.#filler?.done;
  }

  async #run(): Promise<void> {
    const { steps, utterance } = this;
    const output: RoundOutput = {
      onAudio: (samples) => utterance.appendSound(samples),
      played: () => utterance.played(),
    };
    try {
      for await (const { segment, texts } of steps.run(output)) {
        await this.#filler?.done;
        this.#segment = segment;
        utterance.beginSegment(segment);
        const spoken = this.#options.speaker.speak(sentencesOf(texts), steps.signal);
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

  /** Writes synthesized speech to the utterance; awaits `before` ahead of each chunk. */
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
    // At equal rates the resampler returns its input, which the TTS adapter may reuse.
    this.utterance.append(resampled === original ? original.slice() : resampled);
    this.times.firstAudioMs ??= this.#options.nowMs();
    this.#options.onProgress();
  }
}
