import { WavError, msFromSamples, samplesFromMs } from '@calls/audio';
import { ProviderError, type SpeechChunk } from '@calls/conversation';
import { authorization, endpointUrl } from '../../http/endpoint.ts';
import { HttpExchange, type Deadline } from '../../http/exchange.ts';
import type { OpenAiCompatibleTextToSpeechOptions } from './adapter.ts';
import { SpeechDecoder, type DecodedSpeech } from './speech-decoder.ts';
import { DEFAULT_SAMPLE_RATE_HZ, isForeignContent, speechBody, type SpeechVoiceSettings } from './wire.ts';

/** Names this adapter in errors. */
export const PROVIDER = 'openai-compatible-tts';
/** Longer pieces are handed on in slices, so that no pull costs the reader much at once. */
const MAX_CHUNK_MS = 100;

/** The request for one sentence. It starts when constructed; `chunks` is read once; end with `close`. */
export class SpokenSentence {
  readonly #options: OpenAiCompatibleTextToSpeechOptions;
  readonly #text: string;
  readonly #exchange: HttpExchange;
  readonly #decoder: SpeechDecoder;
  readonly #firstAudio: Deadline;

  constructor(
    options: OpenAiCompatibleTextToSpeechOptions,
    settings: SpeechVoiceSettings,
    text: string,
    signal: AbortSignal,
  ) {
    const { endpoint, limits, clock } = options;
    this.#options = options;
    this.#text = text;
    this.#decoder = new SpeechDecoder(settings.sampleRateHz ?? DEFAULT_SAMPLE_RATE_HZ);
    this.#firstAudio = {
      atMs: clock.nowMs() + limits.firstAudioTimeoutMs,
      message: `no audio within ${limits.firstAudioTimeoutMs} ms`,
    };
    this.#exchange = new HttpExchange(options, {
      provider: PROVIDER,
      url: endpointUrl(endpoint, '/audio/speech'),
      headers: { 'content-type': 'application/json', accept: 'audio/*', ...authorization(endpoint) },
      body: [speechBody(text, options.model, settings)],
      confidential: [endpoint.apiKey ?? '', text],
      connectTimeoutMs: limits.connectTimeoutMs,
      signal,
    });
  }

  /** The `sentence` chunk, once there is audio to follow it, then the audio. */
  async *chunks(): AsyncGenerator<SpeechChunk, void, undefined> {
    const headers = await this.#exchange.head(this.#firstAudio);
    if (isForeignContent(headers['content-type'])) {
      throw new ProviderError(PROVIDER, 'malformed', 'the answer is neither PCM nor WAV');
    }
    let spokenMs = 0;
    for (;;) {
      const bytes = await this.#exchange.read(spokenMs === 0 ? this.#firstAudio : this.#gap());
      if (bytes === null) break;
      const { samples, sampleRateHz } = this.#decode(bytes);
      if (samples.length === 0) continue;
      if (spokenMs === 0) yield { type: 'sentence', text: this.#text };
      spokenMs += msFromSamples(samples.length, sampleRateHz);
      this.#assertBounded(spokenMs);
      yield* slices(samples, sampleRateHz);
    }
    if (spokenMs === 0) throw new ProviderError(PROVIDER, 'malformed', 'the answer holds no audio');
  }

  close(): void {
    this.#exchange.close();
  }

  #gap(): Deadline {
    const { limits, clock } = this.#options;
    return {
      atMs: clock.nowMs() + limits.gapTimeoutMs,
      message: `silent for ${limits.gapTimeoutMs} ms in the middle of a sentence`,
    };
  }

  #decode(bytes: Buffer): DecodedSpeech {
    try {
      return this.#decoder.push(bytes);
    } catch (cause) {
      if (!(cause instanceof WavError)) throw cause;
      throw new ProviderError(PROVIDER, 'malformed', 'the answer is a WAV file that can not be read', {
        cause,
      });
    }
  }

  #assertBounded(spokenMs: number): void {
    const { maxSentenceMs } = this.#options.limits;
    if (spokenMs <= maxSentenceMs) return;
    throw new ProviderError(PROVIDER, 'malformed', `more than ${maxSentenceMs} ms of audio for one sentence`);
  }
}

function* slices(samples: Int16Array, sampleRateHz: number): Generator<SpeechChunk, void, undefined> {
  const sliceSamples = samplesFromMs(MAX_CHUNK_MS, sampleRateHz);
  for (let from = 0; from < samples.length; from += sliceSamples) {
    yield { type: 'audio', samples: samples.subarray(from, from + sliceSamples), sampleRateHz };
  }
}
