/** What there is to judge a pause by. */
export interface EndOfTurnInput {
  /** The words of the user's turn so far, with or without punctuation; never empty. */
  text: string;
  /** BCP 47 tag, or null where it is not known. */
  languageHint: string | null;
  /** The sound of the turn so far: mono signed 16-bit PCM at 16 kHz, at most its last 30 s. Empty where it isn't kept. */
  audio: () => Int16Array;
}

/** Tells whether a user who pauses has said what they want to say. Judges one pause at a time; shared by all calls. */
export interface EndOfTurnDetector {
  /** Whether it listens to `audio`, which is kept only then. */
  readonly usesAudio: boolean;
  /**
   * How much longer than turnEndpointDelay to wait for the user to go on, in milliseconds: 0 where the turn is over. Asked
   * while turnEndpointDelay passes. What is above MAX_EXTRA_WAIT_MS counts as that; an answer after END_OF_TURN_LIMIT_MS, or
   * none, counts as 0.
   */
  extraWaitMs(pause: EndOfTurnInput, signal: AbortSignal): Promise<number>;
}

/** Nobody waits longer than this on top of turnEndpointDelay, whatever the detector says. */
export const MAX_EXTRA_WAIT_MS = 1200;
/** From the words to the detector's answer. */
export const END_OF_TURN_LIMIT_MS = 250;
