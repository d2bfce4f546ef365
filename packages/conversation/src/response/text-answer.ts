import { toError, type Clock } from '@calls/foundation';
import type { LanguageModel } from '../ports/language-model.ts';
import type { GenerationId } from '../turn/turn-types.ts';
import type { GenerationTimes, WordSource } from './generation.ts';

export interface TextAnswerOptions {
  id: GenerationId;
  source: WordSource;
  languageModel: LanguageModel;
  clock: Clock;
  onFault: (fault: Error) => void;
  onProgress: () => void;
}

/** One answer that is read, not heard. */
export class TextAnswer {
  readonly id: GenerationId;
  readonly times: GenerationTimes;
  readonly #options: TextAnswerOptions;
  readonly #abort = new AbortController();
  #usage = { inputTokens: 0, outputTokens: 0 };
  #text = '';
  #complete = false;
  #failed = false;

  constructor(options: TextAnswerOptions) {
    this.id = options.id;
    this.#options = options;
    this.times = { startedMs: options.clock.nowMs(), firstTokenMs: null, firstAudioMs: null };
    void this.#run();
  }

  get text(): string {
    return this.#text;
  }

  get complete(): boolean {
    return this.#complete;
  }

  get failed(): boolean {
    return this.#failed;
  }

  get usage(): { inputTokens: number; outputTokens: number } {
    return this.#usage;
  }

  abort(): void {
    this.#abort.abort(new Error('generation dropped'));
  }

  async #run(): Promise<void> {
    const { source, languageModel, clock, onProgress } = this.#options;
    try {
      if (source.kind === 'words') {
        this.#text = source.text;
      } else {
        for await (const chunk of languageModel.respond(source.request, this.#abort.signal)) {
          if (chunk.type === 'usage') {
            this.#usage = { inputTokens: chunk.inputTokens, outputTokens: chunk.outputTokens };
            continue;
          }
          if (chunk.type !== 'text') continue;
          this.times.firstTokenMs ??= clock.nowMs();
          this.#text += chunk.text;
          onProgress();
        }
      }
    } catch (thrown) {
      if (this.#abort.signal.aborted) return;
      this.#failed = true;
      this.#options.onFault(toError(thrown));
    }
    // Never inside the constructor: whoever made this must have it in hand first.
    await Promise.resolve();
    if (this.#abort.signal.aborted) return;
    this.#complete = true;
    onProgress();
  }
}
