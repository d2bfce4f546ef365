import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { bytesFromSamples } from '@calls/audio/pcm';
import type { SpeechToText, TranscriptionStream } from '@calls/engine-ports/speech-to-text';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { BoundedCache } from '@calls/foundation/bounded-cache';
import type { CallerVoice } from './caller-voice.ts';
import { noInterims } from './spoken-words.ts';
import { collected, one } from './tracked-engines.ts';

const MAX_TRANSCRIPTS = 20_000;
const MAX_SPEECH_BYTES = 128 * 1024 * 1024;
const MAX_LINES_BYTES = 64 * 1024 * 1024;

/** Results of embedded engines, which depend on the audio or text and on the settings alone. */
export class SpeechCache {
  readonly #transcripts = new BoundedCache<string>(MAX_TRANSCRIPTS);
  readonly #speech = new BoundedCache<readonly SpeechChunk[]>(MAX_SPEECH_BYTES);
  readonly #lines = new BoundedCache<Int16Array>(MAX_LINES_BYTES);
  readonly #path: string | null;

  /** Opens a cache with the transcripts in the file `path`, which `save` writes. Null: in memory only. */
  static async open(path: string | null): Promise<SpeechCache> {
    const cache = new SpeechCache(path);
    if (path === null) return cache;
    const text = await readFile(path, 'utf8').catch(() => '');
    for (const line of text.split('\n')) {
      const [key = '', transcript] = line.split('\t');
      if (transcript !== undefined) cache.#transcripts.set(key, transcript, 1);
    }
    return cache;
  }

  private constructor(path: string | null) {
    this.#path = path;
  }

  /** Whether no transcript is known, as in a first run. */
  get isWithoutTranscripts(): boolean {
    return this.#transcripts.isEmpty;
  }

  async save(): Promise<void> {
    if (this.#path === null) return;
    const lines = this.#transcripts
      .entries()
      .map(([key, text]) => `${key}\t${text.replaceAll(/\s+/gu, ' ')}`);
    await mkdir(dirname(this.#path), { recursive: true });
    // Another run may read or write it at the same time.
    const written = `${this.#path}.${process.pid}`;
    await writeFile(written, `${lines.join('\n')}\n`);
    await rename(written, this.#path);
  }

  /**
   * Returns an engine that transcribes the same audio only once. `name`: name and version of the engine. There are no
   * interim transcripts.
   */
  speechToText(engine: SpeechToText, name: string): SpeechToText {
    return {
      open: (options, signal) => {
        let stream: TranscriptionStream | null = null;
        const { languageHint, keyTerms } = options;
        const hash = createHash('sha256').update(JSON.stringify([name, languageHint, ...(keyTerms ?? [])]));
        let waiting: Int16Array[] = [];
        return {
          push: (samples) => {
            hash.update(bytesFromSamples(samples));
            waiting.push(samples.slice());
          },
          finalize: async () => {
            const key = hash.copy().digest('base64url');
            const transcribe = async (): Promise<string> => {
              stream ??= engine.open(options, signal);
              for (const samples of waiting) stream.push(samples);
              waiting = [];
              return (await stream.finalize()).text;
            };
            return { text: await this.#transcripts.getOrCompute(key, transcribe, () => 1) };
          },
          interims: noInterims(),
          close: () => stream?.close(),
        };
      },
    };
  }

  /** Returns an engine that speaks the same sentence only once. */
  textToSpeech(engine: TextToSpeech): TextToSpeech {
    const speech = this.#speech;
    return {
      async *synthesize(sentences, options, signal): AsyncGenerator<SpeechChunk> {
        for await (const sentence of sentences) {
          const key = JSON.stringify([options.voice, options.languageHint, sentence]);
          const synthesize = (): Promise<SpeechChunk[]> =>
            collected(engine.synthesize(one(sentence), options, signal));
          yield* await speech.getOrCompute(key, synthesize, bytesOf);
        }
      },
    };
  }

  /** Speaks the same line of a caller only once. The samples must not be changed. */
  callerLine(speaker: Pick<CallerVoice, 'voice' | 'speak'>, line: string): Promise<Int16Array> {
    const key = JSON.stringify([speaker.voice, line]);
    return this.#lines.getOrCompute(
      key,
      () => speaker.speak(line),
      ({ byteLength }) => byteLength,
    );
  }
}

function bytesOf(chunks: readonly SpeechChunk[]): number {
  return chunks.reduce((sum, chunk) => sum + (chunk.type === 'audio' ? chunk.samples.byteLength : 0), 0);
}
