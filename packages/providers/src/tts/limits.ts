export interface TextToSpeechLimits {
  connectTimeoutMs: number;
  /** Time limit from a sentence's request to its first audio. */
  firstAudioTimeoutMs: number;
  /** Time limit between two parts of a sentence. */
  gapTimeoutMs: number;
  /** Maximum audio of one sentence; more is an error. */
  maxSentenceMs: number;
}

export const DEFAULT_TEXT_TO_SPEECH_LIMITS: TextToSpeechLimits = {
  connectTimeoutMs: 1000,
  firstAudioTimeoutMs: 2500,
  gapTimeoutMs: 2500,
  maxSentenceMs: 120_000,
};
