export interface SpeechToTextLimits {
  connectTimeoutMs: number;
  /** Time limit from `finalize` to the complete response. */
  timeoutMs: number;
  /** Maximum buffered audio of one utterance; the rest is dropped and counted. */
  maxUtteranceMs: number;
}

export const DEFAULT_SPEECH_TO_TEXT_LIMITS: SpeechToTextLimits = {
  connectTimeoutMs: 1000,
  timeoutMs: 2000,
  maxUtteranceMs: 60_000,
};
