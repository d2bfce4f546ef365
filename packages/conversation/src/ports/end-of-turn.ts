/** Input for deciding whether a pause ends the user's turn. */
export interface EndOfTurnInput {
  /** Transcript of the user's turn so far, with or without punctuation. Never empty. */
  text: string;
  /** BCP 47 tag; null if unknown. */
  languageHint: string | null;
  /**
   * Audio of the turn so far: mono signed 16-bit PCM at 16 kHz, at most the last 30 s. Empty if audio is not
   * buffered.
   */
  audio: () => Int16Array;
}

/** Decides whether the user has finished when they pause. Handles one pause per call; shared by all calls. */
export interface EndOfTurnDetector {
  /** Whether it reads `audio`. Audio is buffered only if it does. */
  readonly usesAudio: boolean;
  /**
   * Extra milliseconds to wait, on top of turnEndpointDelay, for the user to continue; 0 ends the turn. Runs
   * while turnEndpointDelay passes. Capped at MAX_EXTRA_WAIT_MS; a result that takes longer than
   * END_OF_TURN_LIMIT_MS, or an error, counts as 0.
   */
  extraWaitMs(pause: EndOfTurnInput, signal: AbortSignal): Promise<number>;
}

/** Upper bound of the wait on top of turnEndpointDelay. */
export const MAX_EXTRA_WAIT_MS = 1200;
/** Timeout for the detector, from the transcript to its result. */
export const END_OF_TURN_LIMIT_MS = 250;
