import type { EndOfTurnDetector } from '../ports/end-of-turn.ts';
import { unfinishedWaitMs } from './unfinished.ts';

/** Goes by the words alone: whether a sentence, or a number that is read out, breaks off. */
export const heuristicEndOfTurn: EndOfTurnDetector = {
  usesAudio: false,
  extraWaitMs: ({ text, languageHint }) => Promise.resolve(unfinishedWaitMs(text, languageHint)),
};
