import type { ResponseRecord } from './response-record.ts';
import type { GenerationRounds, GenerationTimes, RoundOutput } from './generation-rounds.ts';

export interface TextSegment {
  segment: number;
  text: string;
  complete: boolean;
}

export interface TextGenerationOptions {
  steps: GenerationRounds;
  record: ResponseRecord;
  onProgress: () => void;
}

const NO_AUDIO: RoundOutput = { onAudio: () => undefined, played: () => Promise.resolve() };

/** Generates one text response. */
export class TextGeneration {
  readonly steps: GenerationRounds;
  readonly record: ResponseRecord;
  readonly segments: TextSegment[] = [];
  readonly #options: TextGenerationOptions;
  #complete = false;

  constructor(options: TextGenerationOptions) {
    this.#options = options;
    this.steps = options.steps;
    this.record = options.record;
    void this.#run();
  }

  get complete(): boolean {
    return this.#complete;
  }

  get times(): GenerationTimes {
    return this.steps.times;
  }

  abort(): void {
    this.steps.abort();
  }

  async #run(): Promise<void> {
    const { onProgress } = this.#options;
    try {
      for await (const { segment, texts } of this.steps.run(NO_AUDIO)) {
        const shown: TextSegment = { segment, text: '', complete: false };
        this.segments.push(shown);
        for await (const text of texts) {
          shown.text += text;
          onProgress();
        }
        shown.complete = true;
        onProgress();
      }
    } catch (thrown) {
      this.steps.fail(thrown);
    }
    // Never complete within the constructor: the caller needs the reference first.
    await Promise.resolve();
    if (this.steps.signal.aborted) return;
    this.#complete = true;
    onProgress();
  }
}
