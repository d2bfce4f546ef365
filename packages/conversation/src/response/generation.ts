import { createResampler, type Resampler } from '@calls/audio';
import { toError, type Clock } from '@calls/foundation';
import type { LanguageModel, ModelRequest } from '../ports/language-model.ts';
import { AgentUtterance } from '../playout/agent-utterance.ts';
import type { GenerationId } from '../turn/turn-types.ts';
import type { SentencePiece } from './sentence-builder.ts';
import { SentenceSplitter } from './sentence-splitter.ts';
import type { Speaker, SpokenChunk } from './speaker.ts';

/** Audio that may wait ahead of the playhead; a generation that is ahead of it waits. */
const MAX_AHEAD_MS = 10_000;

/** Where the words come from. */
export type WordSource = { kind: 'model'; request: ModelRequest } | { kind: 'words'; text: string };

export interface GenerationTimes {
  startedMs: number;
  firstTokenMs: number | null;
  firstAudioMs: number | null;
}

export interface GenerationOptions {
  id: GenerationId;
  source: WordSource;
  languageModel: LanguageModel;
  speaker: Speaker;
  outputSampleRateHz: number;
  clock: Clock;
  onFault: (fault: Error) => void;
  /** More audio, or the end. */
  onProgress: () => void;
}

/**
 * One answer in the making: words from the model (or given), cut into sentences, spoken, resampled to the output rate and
 * kept in `utterance` until the playout takes them. Touches nothing outside itself, so that dropping it leaves no trace.
 */
export class Generation {
  readonly id: GenerationId;
  readonly utterance: AgentUtterance;
  readonly times: GenerationTimes;
  readonly #options: GenerationOptions;
  readonly #abort = new AbortController();
  #usage = { inputTokens: 0, outputTokens: 0 };
  #failed = false;
  /** While a filler is being put in, the answer waits behind it. */
  #filling: Promise<void> = Promise.resolve();

  constructor(options: GenerationOptions) {
    this.id = options.id;
    this.#options = options;
    this.utterance = new AgentUtterance(options.outputSampleRateHz, MAX_AHEAD_MS);
    this.times = { startedMs: options.clock.nowMs(), firstTokenMs: null, firstAudioMs: null };
    void this.#run();
  }

  get usage(): { inputTokens: number; outputTokens: number } {
    return this.#usage;
  }

  /** Stops all work on it. Idempotent. */
  abort(): void {
    this.#abort.abort(new Error('generation dropped'));
    this.utterance.release(Number.POSITIVE_INFINITY);
  }

  /** Puts a phrase ahead of an answer; false where there is sound of it already. */
  fill(text: string): boolean {
    if (this.utterance.writtenSamples > 0 || this.utterance.complete) return false;
    this.#filling = this.#record(this.#options.speaker.speakWithFallback(text, this.#abort.signal)).catch(
      (thrown: unknown) => this.#fault(thrown),
    );
    return true;
  }

  async #run(): Promise<void> {
    try {
      await this.#record(
        this.#options.speaker.speak(this.#pieces(), this.#abort.signal),
        () => this.#filling,
      );
    } catch (thrown) {
      this.#failed = true;
      this.#fault(thrown);
    }
    await this.#filling;
    if (this.#abort.signal.aborted) return;
    this.utterance.finish(this.#failed);
    this.#options.onProgress();
  }

  async *#pieces(): AsyncGenerator<SentencePiece> {
    const splitter = new SentenceSplitter();
    try {
      for await (const text of this.#words()) {
        this.times.firstTokenMs ??= this.#options.clock.nowMs();
        yield* splitter.push(text);
      }
    } catch (thrown) {
      // What the model said before it failed is still worth hearing.
      this.#failed = true;
      this.#fault(thrown);
    }
    yield* splitter.flush();
  }

  async *#words(): AsyncGenerator<string> {
    const { source, languageModel } = this.#options;
    if (source.kind === 'words') {
      yield source.text;
      return;
    }
    for await (const chunk of languageModel.respond(source.request, this.#abort.signal)) {
      if (chunk.type === 'text') yield chunk.text;
      else if (chunk.type === 'usage')
        this.#usage = { inputTokens: chunk.inputTokens, outputTokens: chunk.outputTokens };
    }
  }

  /** Moves speech into the utterance; `before` is awaited ahead of the first of it. */
  async #record(chunks: AsyncIterable<SpokenChunk>, before?: () => Promise<void>): Promise<void> {
    let resampler: Resampler | null = null;
    const flush = (): void => {
      if (resampler) this.utterance.append(resampler.flush());
    };
    try {
      for await (const chunk of chunks) {
        this.#abort.signal.throwIfAborted();
        if (before) await before();
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
    this.times.firstAudioMs ??= this.#options.clock.nowMs();
    this.#options.onProgress();
  }

  #fault(thrown: unknown): void {
    if (!this.#abort.signal.aborted) this.#options.onFault(toError(thrown));
  }
}
