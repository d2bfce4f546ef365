import { PcmByteJoiner } from '@calls/audio/pcm-byte-joiner';
import { rpcRefusal } from '../../http/rpc-status.ts';
import { parseBase64, parseFrame } from '../../http/json-frame.ts';
import type { ContextMessage, ContextProtocol } from '../sentence-contexts.ts';
import type { SpeechPiece } from '../speech-source.ts';
import { contextMessage, createContext, SAMPLE_RATE_HZ, textPieces, type InworldSettings } from './wire.ts';

/** Sentences on `voice:streamBidirectional`. Closing a context flushes its text and marks its end. */
export class InworldContexts implements ContextProtocol {
  readonly #provider: string;
  readonly #create: object;
  readonly #confidential: readonly string[];
  readonly #joiners = new Map<string, PcmByteJoiner>();

  constructor(
    provider: string,
    settings: InworldSettings,
    languageHint: string | null,
    confidential: readonly string[],
  ) {
    this.#provider = provider;
    this.#create = createContext(settings, languageHint);
    this.#confidential = confidential;
  }

  speak(contextId: string, text: string): object[] {
    this.#joiners.set(contextId, new PcmByteJoiner());
    return [
      { create: this.#create, contextId },
      ...textPieces(text).map((piece) => ({ send_text: { text: piece }, contextId })),
      { close_context: {}, contextId },
    ];
  }

  /** The context is already closing; later messages are ignored. */
  cancel(contextId: string): object[] {
    this.#joiners.delete(contextId);
    return [];
  }

  read(text: string): ContextMessage | undefined {
    const { result, error } = parseFrame(this.#provider, contextMessage, text, this.#confidential);
    const status = error ?? (result?.status?.code ? result.status : undefined);
    const contextId = result?.contextId ?? null;
    if (status) {
      const error = rpcRefusal(this.#provider, status, this.#confidential);
      return { contextId, pieces: [], isLast: true, error };
    }
    if (contextId === null) return undefined;
    const isLast = result?.contextClosed !== undefined;
    const pieces = this.#pieces(contextId, result?.audioChunk);
    if (isLast) this.#joiners.delete(contextId);
    return { contextId, pieces, isLast };
  }

  #pieces(contextId: string, chunk: AudioChunk | undefined): SpeechPiece[] {
    const joiner = this.#joiners.get(contextId);
    if (!chunk || !joiner) return [];
    const pieces: SpeechPiece[] = [];
    const samples = joiner.push(parseBase64(this.#provider, chunk.audioContent ?? ''));
    if (samples.length > 0) pieces.push({ type: 'audio', samples, sampleRateHz: SAMPLE_RATE_HZ });
    const {
      words = [],
      wordStartTimeSeconds = [],
      wordEndTimeSeconds = [],
    } = chunk.timestampInfo?.wordAlignment ?? {};
    const timed = words.map((word, i) => ({
      word,
      startMs: (wordStartTimeSeconds[i] ?? 0) * 1000,
      endMs: (wordEndTimeSeconds[i] ?? 0) * 1000,
    }));
    if (timed.length > 0) pieces.push({ type: 'words', words: timed });
    return pieces;
  }
}

type AudioChunk = NonNullable<
  NonNullable<ReturnType<(typeof contextMessage)['parse']>['result']>['audioChunk']
>;
