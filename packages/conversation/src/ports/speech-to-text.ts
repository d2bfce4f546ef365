/** Words that were recognised; `text` is empty where there were none. */
export interface Transcript {
  text: string;
}

export interface TranscriptionOptions {
  /** BCP 47 tag, or null to let the engine decide. */
  languageHint: string | null;
}

/**
 * The recognition of one utterance. Audio is mono signed 16-bit PCM at 16 kHz.
 */
export interface TranscriptionStream {
  /** Adds audio that follows what was pushed before. The array is the caller's: what is kept is copied. */
  push(samples: Int16Array): void;
  /**
   * The words of everything pushed since `open`. May be called again after more audio; only the last call matters, an
   * earlier one still under way may be dropped and then rejects with code `superseded`. Rejects with a ProviderError.
   */
  finalize(): Promise<Transcript>;
  /** Interim words while audio comes, from engines that give them. Ends with the stream. */
  readonly partials: AsyncIterable<Transcript>;
  /** Ends the stream and frees what it holds; a `finalize` under way rejects. Idempotent. */
  close(): void;
}

export interface SpeechToText {
  /** Opens an utterance. `signal` closes it. Never throws: faults come from `finalize`. */
  open(options: TranscriptionOptions, signal: AbortSignal): TranscriptionStream;
}
