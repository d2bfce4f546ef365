import type { WordTiming } from '@calls/engine-ports/text-to-speech';
import type { Deadline } from '../http/exchange.ts';

export type SpeechPiece =
  | { type: 'audio'; samples: Int16Array; sampleRateHz: number }
  /** Times from the start of the sentence. */
  | { type: 'words'; words: readonly WordTiming[] };

/** A provider's response to one sentence. Creating it starts the request. */
export interface SpeechSource {
  /** The next pieces, possibly none yet; null after the last. Rejects with a ProviderError or the signal's reason. */
  read(deadline: Deadline): Promise<readonly SpeechPiece[] | null>;
  /** Cancels the request if it has not ended. Idempotent. */
  close(): void;
}

/** Parses the bytes of one response, split anywhere, into pieces. Throws a ProviderError for malformed bytes. */
export interface SpeechReader {
  push(bytes: Buffer): SpeechPiece[];
  /** Called after the last byte. */
  end(): SpeechPiece[];
}
