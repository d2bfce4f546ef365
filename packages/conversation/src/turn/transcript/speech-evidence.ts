/** Evidence about an utterance besides its transcript. */
export interface SpeechEvidence {
  /** Words that the agent played during the utterance, or so shortly before it that their echo may be in it. */
  played: string;
  /**
   * How long the speech continued after the last of these words; 0 if none was played or one is still playing.
   */
  outlastsPlaybackMs: number;
  /** From the first to the last speech of the utterance, including pauses. */
  durationMs: number;
  /**
   * Correlation (0 to 1) between its audio and what was played. Null if not measured: it is measured only for
   * short and faint final utterances, as echo cancellers leave them.
   */
  soundMatch: number | null;
}
