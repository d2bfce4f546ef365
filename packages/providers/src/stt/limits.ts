export interface SpeechToTextLimits {
  connectTimeoutMs: number;
  /** From `finalize` to the whole answer. */
  timeoutMs: number;
  /** Audio of one utterance that is kept; what comes after it is dropped and counted. */
  maxUtteranceMs: number;
}

export const DEFAULT_SPEECH_TO_TEXT_LIMITS: SpeechToTextLimits = {
  connectTimeoutMs: 1000,
  timeoutMs: 2000,
  maxUtteranceMs: 60_000,
};
