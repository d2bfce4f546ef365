import type { LanguageModel, ModelChunk, ModelRequest } from '@calls/engine-ports/language-model';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type {
  InterimTranscript,
  SpeechToText,
  Transcript,
  TranscriptionOptions,
} from '@calls/engine-ports/speech-to-text';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { BoundedQueue } from '@calls/foundation/bounded-queue';
import { delay, type Clock } from '@calls/foundation/clock';

/** `never`: accepts the request and never responds. */
export type Script<T> = T | 'fail' | 'never';

/** Detects speech in any signal without delay. */
export const energyDetector: VoiceActivityEngine = {
  createDetector: () => ({
    push: (window) => Promise.resolve(window.some((sample) => Math.abs(sample) > 100) ? 0.9 : 0.01),
    reset: () => undefined,
    close: () => undefined,
  }),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** Returns the next of `words` per utterance, however often it is requested; '' afterwards. */
export class ScriptedSpeechToText implements SpeechToText {
  readonly #clock: Clock;
  /** Delay of each transcript. */
  delayMs: number;
  readonly #words: Script<string>[];
  opened = 0;
  /** Number of open utterances. */
  current = 0;
  /** Length of the audio at each `finalize`, in milliseconds. */
  readonly asked: number[] = [];
  /** Transcripts returned, without repetitions. */
  readonly given = new Set<string>();
  /** Options of each utterance. */
  readonly options: TranscriptionOptions[] = [];
  /** Whether the words are also interim transcripts, from the first audio on. */
  streams = false;
  /** See Transcript; null: it does not judge turns. `audioMs`: length of the utterance's audio. */
  completionAfter: ((audioMs: number) => number) | null = null;

  constructor(clock: Clock, delayMs: number, words: Script<string>[]) {
    this.#clock = clock;
    this.delayMs = delayMs;
    this.#words = words;
  }

  open(options: TranscriptionOptions): ReturnType<SpeechToText['open']> {
    this.options.push(options);
    const words = this.#words[this.opened] ?? '';
    this.opened += 1;
    this.current += 1;
    let samples = 0;
    let closed = false;
    const interims = new BoundedQueue<InterimTranscript>(1, 'drop-oldest');
    const transcript = (): Transcript => ({
      text: words,
      ...(this.completionAfter && { completion: this.completionAfter(samples / 16) }),
    });
    return {
      push: (pushed) => {
        samples += pushed.length;
        if (this.streams) interims.push({ ...transcript(), coveredSamples: samples });
      },
      finalize: async (): Promise<Transcript> => {
        this.asked.push(samples / 16);
        if (words === 'never') return new Promise<Transcript>(() => undefined);
        await delay(this.#clock, this.delayMs);
        if (words === 'fail') throw new ProviderError('scripted', 'refused', 'transcription failed');
        if (words !== '') this.given.add(words);
        return transcript();
      },
      interims,
      close: () => {
        interims.close();
        if (!closed) this.current -= 1;
        closed = true;
      },
    };
  }
}

/** Text and tool calls of one response. */
export interface ScriptedCalls {
  say?: string;
  call: readonly { name: string; arguments: Record<string, unknown> | string }[];
}

/** Returns the next of `replies` per request, word by word. */
export class ScriptedLanguageModel implements LanguageModel {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #replies: Script<string | ScriptedCalls>[];
  readonly requests: ModelRequest[] = [];
  running = 0;

  readonly #hears: boolean;

  constructor(
    clock: Clock,
    delayMs: number,
    replies: Script<string | ScriptedCalls>[],
    options: { hears?: boolean } = {},
  ) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#replies = replies;
    this.#hears = options.hears ?? false;
  }

  acceptsAudio(): boolean {
    return this.#hears;
  }

  async *respond(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    const reply = this.#replies[this.requests.length] ?? 'I see.';
    this.requests.push(request);
    this.running += 1;
    try {
      if (reply === 'never') await aborted(signal);
      await delay(this.#clock, this.#delayMs, signal);
      if (reply === 'fail') throw new ProviderError('scripted', 'refused', 'generation failed');
      const said = typeof reply === 'string' ? reply : (reply.say ?? '');
      for (const word of said.split(/(?<= )/u)) {
        if (word === 'CUT ') throw new ProviderError('scripted', 'cut', 'the stream ended early');
        if (word !== '') yield { type: 'text', text: word };
      }
      const calls = typeof reply === 'string' ? [] : reply.call;
      for (const [i, { name, arguments: values }] of calls.entries()) {
        const written = typeof values === 'string' ? values : JSON.stringify(values);
        yield { type: 'tool_call', call: { id: `call_${i}`, name, arguments: written } };
      }
      yield { type: 'usage', inputTokens: 10, outputTokens: 5 };
    } finally {
      this.running -= 1;
    }
  }
}

/** Duration of each spoken character. */
export const SPOKEN_MS_PER_CHAR = 50;

export class ScriptedTextToSpeech implements TextToSpeech {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly spoken: string[] = [];
  /** Engines of the voices, in the order of first use. */
  readonly voices: string[] = [];
  /** Configured errors, by engine of the voice. */
  readonly failures = new Map<string, 'fail' | 'never' | ProviderError>();
  running = 0;

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  async *synthesize(
    sentences: AsyncIterable<string>,
    options: Parameters<TextToSpeech['synthesize']>[1],
    signal: AbortSignal,
  ): AsyncGenerator<SpeechChunk> {
    this.running += 1;
    try {
      for await (const text of sentences) {
        const failure = this.failures.get(options.voice.engine);
        if (failure === 'never') await aborted(signal);
        await delay(this.#clock, this.#delayMs, signal);
        if (failure === 'fail') throw new ProviderError(options.voice.engine, 'refused', 'synthesis failed');
        if (failure instanceof ProviderError) throw failure;
        this.spoken.push(text);
        if (!this.voices.includes(options.voice.engine)) this.voices.push(options.voice.engine);
        yield { type: 'sentence', text };
        const samples = new Int16Array(text.length * SPOKEN_MS_PER_CHAR * 16).fill(1000);
        for (let at = 0; at < samples.length; at += 1600) {
          yield { type: 'audio', samples: samples.subarray(at, at + 1600), sampleRateHz: 16_000 };
        }
      }
    } finally {
      this.running -= 1;
    }
  }
}

export async function* noInterims(): AsyncGenerator<Transcript> {
  // Request-based providers have none.
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
