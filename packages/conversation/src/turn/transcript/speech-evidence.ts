/** What an utterance can be judged by besides its words. */
export interface SpeechEvidence {
  /**
   * Words of the agent that were played while the utterance was spoken, or so shortly before it that they may come back in
   * it. Words of other times are no evidence, however alike they are.
   */
  played: string;
  /** How long the speech went on after the last of these words; 0 where none was played, or one is still under way. */
  outlastsPlaybackMs: number;
  /** From the first speech of the utterance to the last, pauses included. */
  durationMs: number;
  /**
   * How much its sound is a copy of what was played, from 0 to 1. Null where that was not measured: only for short and faint
   * sounds, which echo cancellers leave, and not for interim words.
   */
  soundMatch: number | null;
}
