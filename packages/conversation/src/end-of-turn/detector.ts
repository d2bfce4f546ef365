import type { TurnCompletionModel } from '@calls/engine-ports/turn-completion-model';
import { MAX_EXTRA_WAIT_MS, type EndOfTurnDetector } from '../ports/end-of-turn.ts';
import { unfinishedWaitMs } from './unfinished-words.ts';

/** Share of turnEndpointDelay that a turn still waits if it is certainly complete. */
const MIN_DELAY_SHARE = 0.5;
/** At this probability, the audio does not show whether the turn is complete. */
const NEUTRAL = 0.5;

/** Judges by the words, and by the probability of the model or of speech-to-text, if there is one. */
export function createEndOfTurnDetector(model: TurnCompletionModel | null): EndOfTurnDetector {
  return {
    model,
    extraWaitMs: ({ text, languageHint, completion, transcriptCompletion, turnEndpointDelayMs }) => {
      const wordsWaitMs = unfinishedWaitMs(text, languageHint);
      const waitMs =
        completion === null
          ? Math.max(0, combinedWaitMs(wordsWaitMs, transcriptCompletion, turnEndpointDelayMs))
          : combinedWaitMs(wordsWaitMs, completion, turnEndpointDelayMs);
      return Promise.resolve(waitMs);
    },
  };
}

/**
 * The wait on top of turnEndpointDelay, from minus half of it, if the turn is certainly complete, to MAX_EXTRA_WAIT_MS, if
 * it certainly is not. Words that ask for `wordsWaitMs` get as much of it as the probability allows.
 */
export function combinedWaitMs(
  wordsWaitMs: number,
  completion: number | null,
  turnEndpointDelayMs: number,
): number {
  if (completion === null) return wordsWaitMs;
  const incomplete = Math.max(0, (NEUTRAL - completion) / NEUTRAL);
  const complete = Math.max(0, (completion - NEUTRAL) / (1 - NEUTRAL));
  if (wordsWaitMs > 0) return Math.max(wordsWaitMs * (1 - complete), MAX_EXTRA_WAIT_MS * incomplete);
  return MAX_EXTRA_WAIT_MS * incomplete - turnEndpointDelayMs * (1 - MIN_DELAY_SHARE) * complete;
}
