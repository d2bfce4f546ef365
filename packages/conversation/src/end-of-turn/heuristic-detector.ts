import type { EndOfTurnDetector } from '../ports/end-of-turn.ts';
import { unfinishedWaitMs } from './unfinished.ts';

/** Judges by the transcript alone: whether a sentence or a spoken number is incomplete. */
export const heuristicEndOfTurn: EndOfTurnDetector = {
  usesAudio: false,
  extraWaitMs: ({ text, languageHint }) => Promise.resolve(unfinishedWaitMs(text, languageHint)),
};
