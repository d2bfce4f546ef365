import type { WordTiming } from '@calls/conversation/ports/text-to-speech';
import type { Deadline } from '../http/exchange.ts';

export type SpeechPiece =
  | { type: 'audio'; samples: Int16Array; sampleRateHz: number }
  /** Times from the start of the sentence. */
  | { type: 'words'; words: readonly WordTiming[] };

/** What a provider answers to one sentence. The work has begun when there is one. */
export interface SpeechSource {
  /** What came, possibly nothing yet; null after the last. Rejects with a ProviderError or the signal's reason. */
  read(deadline: Deadline): Promise<readonly SpeechPiece[] | null>;
  /** Ends the work where it hasn't ended. Idempotent. */
  close(): void;
}

/** Turns the bytes of one answer, cut anywhere, into pieces. Throws a ProviderError for what it can't read. */
export interface SpeechReader {
  push(bytes: Buffer): SpeechPiece[];
  /** After the last byte. */
  end(): SpeechPiece[];
}
