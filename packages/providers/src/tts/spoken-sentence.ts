import { msFromSamples, samplesFromMs } from '@calls/audio/pcm';
import { MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ } from '@calls/audio/resampler';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { SpeechChunk, WordTiming } from '@calls/engine-ports/text-to-speech';
import type { Clock } from '@calls/foundation/clock';
import type { Deadline } from '../http/exchange.ts';
import type { TextToSpeechLimits } from './limits.ts';
import type { SpeechSource } from './speech-source.ts';

export interface SpokenSentenceDeps {
  /** Adapter name for errors. */
  provider: string;
  limits: TextToSpeechLimits;
  clock: Clock;
}

/** One sentence at a provider, with time limits. Read `chunks` once, then call `close`. */
export class SpokenSentence {
  readonly #deps: SpokenSentenceDeps;
  readonly #text: string;
  readonly #source: SpeechSource;
  readonly #firstAudio: Deadline;

  constructor(deps: SpokenSentenceDeps, text: string, source: SpeechSource) {
    const { limits, clock } = deps;
    this.#deps = deps;
    this.#text = text;
    this.#source = source;
    this.#firstAudio = {
      atMs: clock.nowMs() + limits.firstAudioTimeoutMs,
      message: `no audio within ${limits.firstAudioTimeoutMs} ms`,
    };
  }

  /** Yields the `sentence` chunk when its first audio is ready, then the audio, then word timings if there are any. */
  async *chunks(): AsyncGenerator<SpeechChunk, void, undefined> {
    const words: WordTiming[] = [];
    let spokenMs = 0;
    for (;;) {
      const pieces = await this.#source.read(spokenMs === 0 ? this.#firstAudio : this.#gap());
      if (pieces === null) break;
      for (const piece of pieces) {
        if (piece.type === 'words') {
          words.push(...piece.words);
          continue;
        }
        const { samples, sampleRateHz } = piece;
        if (samples.length === 0) continue;
        this.#assertRate(sampleRateHz);
        if (spokenMs === 0) yield { type: 'sentence', text: this.#text };
        spokenMs += msFromSamples(samples.length, sampleRateHz);
        this.#assertBounded(spokenMs);
        yield* audioChunks(samples, sampleRateHz);
      }
    }
    if (spokenMs === 0) throw this.#malformed('the response has no audio');
    if (words.length > 0) yield { type: 'words', words };
  }

  close(): void {
    this.#source.close();
  }

  #gap(): Deadline {
    const { limits, clock } = this.#deps;
    return {
      atMs: clock.nowMs() + limits.gapTimeoutMs,
      message: `silent for ${limits.gapTimeoutMs} ms in the middle of a sentence`,
    };
  }

  /** Later stages support only these rates. */
  #assertRate(sampleRateHz: number): void {
    if (sampleRateHz < MIN_SAMPLE_RATE_HZ || sampleRateHz > MAX_SAMPLE_RATE_HZ)
      throw this.#malformed(`audio at ${sampleRateHz} Hz cannot be played`);
  }

  #assertBounded(spokenMs: number): void {
    const { maxSentenceMs } = this.#deps.limits;
    if (spokenMs > maxSentenceMs)
      throw this.#malformed(`more than ${maxSentenceMs} ms of audio for one sentence`);
  }

  #malformed(message: string): ProviderError {
    return new ProviderError(this.#deps.provider, 'malformed', message);
  }
}

/** Audio in chunks of at most 100 ms, so that each pull is cheap for the reader. */
export function* audioChunks(
  samples: Int16Array,
  sampleRateHz: number,
): Generator<SpeechChunk & { type: 'audio' }, void, undefined> {
  const sliceSamples = samplesFromMs(100, sampleRateHz);
  for (let from = 0; from < samples.length; from += sliceSamples) {
    yield { type: 'audio', samples: samples.subarray(from, from + sliceSamples), sampleRateHz };
  }
}
