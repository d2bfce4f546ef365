import type { TurnCompletionModel } from '@calls/engine-ports/turn-completion-model';
import { MAX_EXTRA_WAIT_MS, type EndOfTurnDetector } from '../ports/end-of-turn.ts';
import { unfinishedWaitMs } from './heuristic-detector.ts';

/** Share of turnEndpointDelay that a turn still waits if it certainly sounds complete. */
const MIN_DELAY_SHARE = 0.5;
/** At this probability, the sound gives no indication. */
const NEUTRAL = 0.5;

/** Judges by the sound of the pause and by the transcript. */
export function createSoundAndWords(model: TurnCompletionModel): EndOfTurnDetector {
  return {
    model,
    extraWaitMs: ({ text, languageHint, completion, turnEndpointDelayMs }) =>
      Promise.resolve(combinedWaitMs(unfinishedWaitMs(text, languageHint), completion, turnEndpointDelayMs)),
  };
}

/**
 * The wait on top of turnEndpointDelay, from minus half of it, if the turn certainly sounds complete, to
 * MAX_EXTRA_WAIT_MS, if it certainly does not. Words that ask for `wordsWaitMs` get as much of it as the sound allows.
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
