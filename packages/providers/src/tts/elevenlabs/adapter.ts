import type { SpeechChunk, SynthesisOptions, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { endpointUrl } from '../../http/endpoint.ts';
import {
  createHttpTextToSpeech,
  type HttpSpeechProtocol,
  type ProviderTextToSpeechOptions,
} from '../http-text-to-speech.ts';
import { SentenceContexts } from '../sentence-contexts.ts';
import { speakSentences } from '../speak-sentences.ts';
import { SpokenSentence } from '../spoken-sentence.ts';
import { parseVoiceSettings } from '../voice-settings.ts';
import { elevenLabs } from './descriptor.ts';
import { TimedSpeechReader } from './speech-reader.ts';
import { StreamInputSentence, streamInputPath } from './stream-input.ts';
import {
  elevenLabsSettings,
  sampleRateHz,
  speechBody,
  urlParameters,
  type ElevenLabsSettings,
} from './wire.ts';

/**
 * ElevenLabs, `POST /v1/text-to-speech/{voice}/stream/with-timestamps`: audio and timed characters, over the shared
 * persistent connections. Voices with SSML use its WebSocket, because only that has a switch for SSML; each sentence
 * has its own connection, because responses do not mark the end of a sentence.
 */
export function createElevenLabsTextToSpeech(options: ProviderTextToSpeechOptions): TextToSpeech {
  const overHttp = createHttpTextToSpeech(httpProtocol, options);
  return {
    synthesize(sentences, synthesis, signal) {
      const { enableSsmlParsing } = synthesis.voice.settings as Partial<ElevenLabsSettings>;
      return enableSsmlParsing === true
        ? overSockets(options, sentences, synthesis, signal)
        : overHttp.synthesize(sentences, synthesis, signal);
    },
  };
}

const httpProtocol: HttpSpeechProtocol<ElevenLabsSettings> = {
  provider: elevenLabs.key,
  settings: elevenLabsSettings,
  request: (settings, sentence) => ({
    path: `/v1/text-to-speech/${encodeURIComponent(settings.voiceId)}/stream/with-timestamps?${urlParameters(settings).toString()}`,
    headers: { 'xi-api-key': settings.apiKey },
    body: speechBody(settings, sentence),
  }),
  reader: (settings, confidential) =>
    new TimedSpeechReader(elevenLabs.key, sampleRateHz(settings), confidential),
};

async function* overSockets(
  options: ProviderTextToSpeechOptions,
  sentences: AsyncIterable<string>,
  { voice, languageHint }: SynthesisOptions,
  signal: AbortSignal,
): AsyncGenerator<SpeechChunk, void, undefined> {
  signal.throwIfAborted();
  const settings = parseVoiceSettings(elevenLabs.key, elevenLabsSettings, voice.settings);
  const { clock, limits, baseUrl } = options;
  const start = (text: string): SpokenSentence => {
    const confidential = [settings.apiKey, text];
    const contexts = new SentenceContexts(
      {
        provider: elevenLabs.key,
        clock,
        url: endpointUrl({ baseUrl, apiKey: null }, streamInputPath(settings, languageHint)),
        headers: { 'xi-api-key': settings.apiKey },
        confidential,
        connectTimeoutMs: limits.connectTimeoutMs,
      },
      new StreamInputSentence(elevenLabs.key, settings, confidential),
      signal,
    );
    const source = contexts.start(text);
    return new SpokenSentence({ ...options, provider: elevenLabs.key }, text, {
      read: (deadline) => source.read(deadline),
      close: () => contexts.close(),
    });
  };
  yield* speakSentences(sentences, start, signal);
}
