import type { TurnCompletionModel } from '@calls/engine-ports/turn-completion-model';

/** Input for deciding whether a pause ends the user's turn. */
export interface EndOfTurnInput {
  /** Transcript of the user's turn so far, with or without punctuation. Never empty. */
  text: string;
  /** BCP 47 tag; null if unknown. */
  languageHint: string | null;
  /** Probability of the `model` that the turn is complete; null without a model, or if its result is late. */
  completion: number | null;
  /** Probability of speech-to-text that the turn is complete; null if it does not judge turns. */
  transcriptCompletion: number | null;
  /** Silence that ends the turn if the detector returns 0. */
  turnEndpointDelayMs: number;
}

/** Decides whether the user has finished when they pause. Shared by all calls. */
export interface EndOfTurnDetector {
  /** Judges each pause by its sound. Null: the detector uses words alone, and no audio is buffered for it. */
  readonly model: TurnCompletionModel | null;
  /**
   * Milliseconds to wait for the user to continue, on top of turnEndpointDelay; negative: the turn ends before it. Runs
   * while turnEndpointDelay passes. Capped at MAX_EXTRA_WAIT_MS; a result that takes longer than
   * END_OF_TURN_LIMIT_MS, or an error, counts as 0.
   */
  extraWaitMs(pause: EndOfTurnInput, signal: AbortSignal): Promise<number>;
}

/** Upper bound of the wait on top of turnEndpointDelay. */
export const MAX_EXTRA_WAIT_MS = 1200;
/** Timeout for the detector, from the transcript to its result. */
export const END_OF_TURN_LIMIT_MS = 250;
/** Timeout for the model, within END_OF_TURN_LIMIT_MS. Without its result, the transcript decides. */
export const COMPLETION_LIMIT_MS = 150;
