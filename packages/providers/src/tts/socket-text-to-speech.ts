import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { Clock } from '@calls/foundation/clock';
import type { Validator } from '@calls/foundation/schema/validator';
import { endpointUrl } from '../http/endpoint.ts';
import type { TextToSpeechLimits } from './limits.ts';
import { SentenceContexts, type ContextProtocol } from './sentence-contexts.ts';
import { speakSentences } from './speak-sentences.ts';
import { SpokenSentence } from './spoken-sentence.ts';
import { parseVoiceSettings } from './voice-settings.ts';

export interface SocketTextToSpeechOptions {
  baseUrl: string;
  limits: TextToSpeechLimits;
  clock: Clock;
}

/** A provider that receives text and sends speech over one WebSocket. */
export interface SocketSpeechProtocol<S extends { apiKey?: string }> {
  /** Adapter name for errors, and key in the registry. */
  provider: string;
  settings: Validator<S>;
  connection(
    settings: S & { apiKey: string },
    languageHint: string | null,
  ): { path: string; headers: Readonly<Record<string, string>> };
  /** Errors must not contain the `confidential` texts, which grow with the spoken text. */
  contexts(
    settings: S & { apiKey: string },
    languageHint: string | null,
    confidential: readonly string[],
  ): ContextProtocol;
}

/**
 * Sends sentences over one connection as they are generated. It opens when the synthesis starts, so that the handshake
 * overlaps with the generation of the first sentence.
 */
export function createSocketTextToSpeech<S extends { apiKey?: string }>(
  protocol: SocketSpeechProtocol<S>,
  options: SocketTextToSpeechOptions,
): TextToSpeech {
  return {
    async *synthesize(sentences, { voice, languageHint }, signal) {
      signal.throwIfAborted();
      const { provider } = protocol;
      const settings = parseVoiceSettings(provider, protocol.settings, voice.settings);
      const { path, headers } = protocol.connection(settings, languageHint);
      const confidential = [settings.apiKey];
      const contexts = new SentenceContexts(
        {
          provider,
          clock: options.clock,
          url: endpointUrl({ baseUrl: options.baseUrl, apiKey: null }, path),
          headers,
          confidential,
          connectTimeoutMs: options.limits.connectTimeoutMs,
        },
        protocol.contexts(settings, languageHint, confidential),
        signal,
      );
      const start = (text: string): SpokenSentence => {
        confidential.push(text);
        return new SpokenSentence({ ...options, provider }, text, contexts.start(text));
      };
      try {
        yield* speakSentences(sentences, start, signal);
      } finally {
        contexts.close();
      }
    },
  };
}
