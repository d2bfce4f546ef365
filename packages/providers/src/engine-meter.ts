import type { LanguageModel } from '@calls/engine-ports/language-model';
import { ProviderError, type ProviderErrorKind } from '@calls/engine-ports/provider-error';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { Clock } from '@calls/foundation/clock';

/** Maximum number of engines in the record of a worker, which must stay small. */
export const MAX_REPORTED_ENGINES = 10;
/** Maximum number of retained latencies, and of bytes in a model's name, for the same reason. */
const MAX_RECENT = 16;
const MAX_MODEL_BYTES = 40;

export interface EngineDescription {
  role: 'speechToText' | 'languageModel' | 'textToSpeech';
  name: string;
  /** `embedded`: ships with this software. `local`: a model of the operator on this machine. `hosted`: on a server. */
  kind: 'embedded' | 'local' | 'hosted';
  /** Null for engines without a choice of model. */
  model: string | null;
  /** `fallback`: for failures of those before it. `choice`: for calls that choose it. */
  use: 'default' | 'fallback' | 'choice';
}

export interface EngineReport extends EngineDescription {
  /** Latencies of the newest requests that succeeded, oldest first. */
  recentMs: number[];
  /** Wall-clock time; null before the first success. */
  succeededAtMs: number | null;
  /** The newest failure; null before the first. */
  failure: { atMs: number; code: ProviderErrorKind } | null;
}

/** Latency and outcome of the requests to one engine in this process. */
export class EngineMeter {
  readonly #description: EngineDescription;
  readonly #clock: Clock;
  readonly #recentMs: number[] = [];
  #succeededAtMs: number | null = null;
  #failure: EngineReport['failure'] = null;

  constructor(description: EngineDescription, clock: Clock) {
    const { model } = description;
    this.#description = {
      ...description,
      model: model === null ? null : Buffer.from(model).subarray(0, MAX_MODEL_BYTES).toString(),
    };
    this.#clock = clock;
  }

  get report(): EngineReport {
    return {
      ...this.#description,
      recentMs: [...this.#recentMs],
      succeededAtMs: this.#succeededAtMs,
      failure: this.#failure,
    };
  }

  /** Measures from the finalization to the transcript. */
  speechToText(engine: SpeechToText): SpeechToText {
    return {
      open: (options, signal) => {
        const stream = engine.open(options, signal);
        let isClosed = false;
        return {
          interims: stream.interims,
          push: (samples) => stream.push(samples),
          finalize: async () => {
            const startedMs = this.#clock.nowMs();
            try {
              const transcript = await stream.finalize();
              this.#succeeded(startedMs);
              return transcript;
            } catch (thrown) {
              if (!isClosed && !signal.aborted) this.#failed(thrown);
              throw thrown;
            }
          },
          close: () => {
            isClosed = true;
            stream.close();
          },
        };
      },
    };
  }

  /** Measures from the request to the first output. */
  languageModel(engine: LanguageModel): LanguageModel {
    return {
      acceptsAudio: (model) => engine.acceptsAudio(model),
      respond: (request, signal) =>
        this.#measured(engine.respond(request, signal), {
          signal,
          startedMs: this.#clock.nowMs(),
          isFirst: () => true,
        }),
    };
  }

  /** Measures from the first sentence to the first audio. */
  textToSpeech(engine: TextToSpeech): TextToSpeech {
    return {
      synthesize: (sentences, options, signal) => {
        const request = { signal, startedMs: Infinity, isFirst: isAudio };
        const timed = onFirst(sentences, () => {
          request.startedMs = this.#clock.nowMs();
        });
        return this.#measured(engine.synthesize(timed, options, signal), request);
      },
    };
  }

  async *#measured<T>(
    output: AsyncIterable<T>,
    request: { signal: AbortSignal; startedMs: number; isFirst: (item: T) => boolean },
  ): AsyncGenerator<T, void, undefined> {
    let isMeasured = false;
    try {
      for await (const item of output) {
        if (!isMeasured && request.isFirst(item)) {
          isMeasured = true;
          this.#succeeded(request.startedMs);
        }
        yield item;
      }
    } catch (thrown) {
      if (!request.signal.aborted) this.#failed(thrown);
      throw thrown;
    }
  }

  #succeeded(startedMs: number): void {
    this.#recentMs.push(Math.max(0, Math.round(this.#clock.nowMs() - startedMs)));
    if (this.#recentMs.length > MAX_RECENT) this.#recentMs.shift();
    this.#succeededAtMs = this.#clock.wallMs();
  }

  /** Records a failure. Ignores errors that the engine did not cause, such as a request that a newer one replaced. */
  #failed(thrown: unknown): void {
    if (!(thrown instanceof ProviderError) || thrown.kind === 'superseded') return;
    this.#failure = { atMs: this.#clock.wallMs(), code: thrown.kind };
  }
}

function isAudio({ type }: { type: string }): boolean {
  return type === 'audio';
}

/** Calls `first` when the first item arrives. */
function onFirst<T>(items: AsyncIterable<T>, first: () => void): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = items[Symbol.asyncIterator]();
      let isFirst = true;
      return {
        next: async () => {
          const result = await iterator.next();
          if (isFirst && result.done !== true) {
            isFirst = false;
            first();
          }
          return result;
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
