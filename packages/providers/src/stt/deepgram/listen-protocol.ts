import type { ListenResult } from './utterance-words.ts';

export interface ListenOptions {
  model: string;
  /** BCP 47 tag; null: the provider detects the language. */
  languageHint: string | null;
  /** The most important first. */
  keyTerms: readonly string[];
}

/** What differs between the generations of Deepgram's live API. */
export interface ListenProtocol {
  /** The version of the API, as in its URL. */
  readonly version: 'v1' | 'v2';
  supports(model: string, languageHint: string | null): boolean;
  /** Path and query of a connection, without the version. */
  path(options: ListenOptions): string;
  /** Sent after audio to get its results at once: a control message, or silence as 16-bit PCM at 16 kHz. */
  readonly finalize: object | Uint8Array;
  /** Sent while there is no audio. Null: a connection is closed after its utterance. */
  readonly keepAlive: object | null;
  /** Throws a ProviderError for errors and malformed messages. Undefined for messages to ignore. */
  read(text: string, confidential: readonly string[]): ListenResult | undefined;
}
