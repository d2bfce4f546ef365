/** Sample rate of the audio that engines listen to. */
export const SPEECH_RATE_HZ = 16_000;

/** A transcript; `text` is empty if no words were recognized. */
export interface Transcript {
  text: string;
  /**
   * The probability (0 to 1) that the speaker has finished, which may assume that about 300 ms of silence follow; absent if
   * the engine does not judge turns.
   */
  completion?: number;
}

/** A transcript that later audio may change. */
export interface InterimTranscript extends Transcript {
  /** How much of the utterance's audio it covers, in samples from the first; absent if the engine does not say. */
  coveredSamples?: number;
}

export interface TranscriptionOptions {
  /** BCP 47 tag; null lets the provider detect the language. */
  languageHint: string | null;
  /** Names and words to expect, the most important first. Engines without support for it ignore them. */
  keyTerms?: readonly string[] | undefined;
}

/** The transcription of one utterance. Audio is mono signed 16-bit PCM at 16 kHz. */
export interface TranscriptionStream {
  /** Appends audio. The caller may reuse the array. */
  push(samples: Int16Array): void;
  /**
   * Transcribes everything pushed since `open`. May be called again after more audio; an earlier call still in
   * progress may then reject with the kind `superseded`. Every rejection is a ProviderError.
   */
  finalize(): Promise<Transcript>;
  /** Interim transcripts while audio arrives, if the provider supports them. Ends with the stream. */
  readonly interims: AsyncIterable<InterimTranscript>;
  /** Ends the stream and releases its resources; a `finalize` in progress rejects. Idempotent. */
  close(): void;
}

export interface SpeechToText {
  /** Opens an utterance; aborting `signal` closes it. Never throws: errors surface in `finalize`. */
  open(options: TranscriptionOptions, signal: AbortSignal): TranscriptionStream;
}
