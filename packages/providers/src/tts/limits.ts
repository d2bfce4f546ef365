export interface TextToSpeechLimits {
  connectTimeoutMs: number;
  /** From a sentence's request to its first audio. */
  firstAudioTimeoutMs: number;
  /** Between two parts of a sentence. */
  gapTimeoutMs: number;
  /** Audio of one sentence; more is an error. */
  maxSentenceMs: number;
}

export const DEFAULT_TEXT_TO_SPEECH_LIMITS: TextToSpeechLimits = {
  connectTimeoutMs: 1000,
  firstAudioTimeoutMs: 2500,
  gapTimeoutMs: 2500,
  maxSentenceMs: 120_000,
};
