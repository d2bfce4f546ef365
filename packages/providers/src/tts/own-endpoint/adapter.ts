import { ProviderError } from '@calls/engine-ports/provider-error';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { Clock } from '@calls/foundation/clock';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { TextToSpeechLimits } from '../limits.ts';
import { speakSentences } from '../speak-sentences.ts';
import { SpokenSentence } from '../spoken-sentence.ts';
import { validated } from '../voice-settings.ts';
import { ownEndpoint } from './descriptor.ts';
import { EstimatedWordsSource } from './estimated-words.ts';
import { OutboundSpeechSource } from './outbound-source.ts';
import { ownEndpointSpeechReader } from './speech-reader.ts';
import { ownEndpointSettings, requestBody, type OwnEndpointSettings } from './wire.ts';

/** Two minutes of speech at 48 kHz as hexadecimal JSON. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** Shorter header values are not keys and occur in many words. */
const SHORTEST_SECRET_CHARACTERS = 6;

export interface OwnEndpointOptions {
  outbound: OutboundHttp;
  limits: TextToSpeechLimits;
  clock: Clock;
}

/**
 * A customer's endpoint, with one POST per sentence. The response is WAV, headerless PCM, JSON or JSON lines, streamed
 * or not. Requests are signed if the call has shared secrets.
 */
export function createOwnEndpointTextToSpeech(options: OwnEndpointOptions): TextToSpeech {
  return {
    async *synthesize(sentences, { voice, languageHint, signatureHeaders }, signal) {
      signal.throwIfAborted();
      const { outbound, limits, clock } = options;
      const settings = validated(ownEndpoint.key, ownEndpointSettings, voice.settings);
      const confidential = Object.values(settings.headers ?? {}).filter(
        (value) => value.length >= SHORTEST_SECRET_CHARACTERS,
      );
      const start = (text: string): SpokenSentence => {
        const source = new OutboundSpeechSource({
          provider: ownEndpoint.key,
          clock,
          outbound,
          request: {
            method: 'POST',
            url: settings.url,
            headers: {
              'content-type': 'application/json',
              ...lowerCased(settings.headers),
              ...signatureHeaders?.(),
            },
            body: bodyOf(settings, text, languageHint),
            timeoutMs: limits.firstAudioTimeoutMs + 2 * limits.maxSentenceMs,
            maxResponseBytes: MAX_RESPONSE_BYTES,
          },
          reader: (contentType) => ownEndpointSpeechReader(ownEndpoint.key, settings, contentType),
          confidential: [...confidential, text],
          signal,
        });
        const { responseWordsPerMinute: wordsPerMinute } = settings;
        const timed =
          wordsPerMinute === undefined ? source : new EstimatedWordsSource(source, text, wordsPerMinute);
        return new SpokenSentence({ ...options, provider: ownEndpoint.key }, text, timed);
      };
      yield* atOneRate(speakSentences(sentences, start, signal));
    },
  };
}

function bodyOf(settings: OwnEndpointSettings, text: string, languageHint: string | null): string {
  const body = requestBody(settings, text, languageHint);
  if (body !== undefined) return body;
  throw new ProviderError(ownEndpoint.key, 'unavailable', 'the body of the voice must contain {text}');
}

function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Rejects a response whose sample rate changes, because later stages resample each response at one rate. */
async function* atOneRate(chunks: AsyncIterable<SpeechChunk>): AsyncGenerator<SpeechChunk, void, undefined> {
  let rateHz: number | undefined;
  for await (const chunk of chunks) {
    if (chunk.type === 'audio') {
      rateHz ??= chunk.sampleRateHz;
      if (chunk.sampleRateHz !== rateHz)
        throw new ProviderError(ownEndpoint.key, 'malformed', 'the sample rate changed within a response');
    }
    yield chunk;
  }
}
