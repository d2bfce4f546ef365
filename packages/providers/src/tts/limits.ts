export interface TextToSpeechLimits {
  connectTimeoutMs: number;
  /** From a sentence's request to its first audio. */
  firstAudioTimeoutMs: number;
  /** Between two pieces of a sentence that has begun. */
  gapTimeoutMs: number;
  /** Audio of one sentence; more is a fault. */
  maxSentenceMs: number;
}

export const DEFAULT_TEXT_TO_SPEECH_LIMITS: TextToSpeechLimits = {
  connectTimeoutMs: 1000,
  firstAudioTimeoutMs: 2500,
  gapTimeoutMs: 2500,
  maxSentenceMs: 120_000,
};
