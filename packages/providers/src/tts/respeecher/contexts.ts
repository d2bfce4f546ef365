import { PcmByteJoiner } from '@calls/audio/pcm-byte-joiner';
import { refusal, refusalMessage } from '../../http/refusal.ts';
import { parseBase64, parseFrame } from '../../http/json-frame.ts';
import type { ContextMessage, ContextProtocol } from '../sentence-contexts.ts';
import { contextMessage, generation, SAMPLE_RATE_HZ, type RespeecherSettings } from './wire.ts';

/** Sentences on Respeecher's WebSocket, one context each, because chunks do not mark the end of a sentence. */
export class RespeecherContexts implements ContextProtocol {
  readonly #provider: string;
  readonly #settings: RespeecherSettings;
  readonly #confidential: readonly string[];
  readonly #joiners = new Map<string, PcmByteJoiner>();

  constructor(provider: string, settings: RespeecherSettings, confidential: readonly string[]) {
    this.#provider = provider;
    this.#settings = settings;
    this.#confidential = confidential;
  }

  speak(contextId: string, text: string): object[] {
    this.#joiners.set(contextId, new PcmByteJoiner());
    return [generation(this.#settings, contextId, text)];
  }

  cancel(contextId: string): object[] {
    this.#joiners.delete(contextId);
    return [{ context_id: contextId, cancel: true }];
  }

  read(text: string): ContextMessage | undefined {
    const message = parseFrame(this.#provider, contextMessage, text, this.#confidential);
    const contextId = message.context_id ?? null;
    switch (message.type) {
      case 'chunk': {
        const joiner = this.#joiners.get(contextId ?? '');
        if (!joiner) return undefined;
        const samples = joiner.push(parseBase64(this.#provider, message.data ?? ''));
        return {
          contextId,
          pieces: [{ type: 'audio', samples, sampleRateHz: SAMPLE_RATE_HZ }],
          isLast: false,
        };
      }
      case 'done':
        this.#joiners.delete(contextId ?? '');
        return { contextId, pieces: [], isLast: true };
      case 'error': {
        const said = refusalMessage(message.error ?? '', this.#confidential);
        const error = refusal(this.#provider, message.status_code ?? 500, said);
        return { contextId, pieces: [], isLast: true, error };
      }
      default:
        return undefined;
    }
  }
}
