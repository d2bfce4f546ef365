import type { HeardOver, Meaning } from '../turn-types.ts';
import { isBackchannel, mayBeBackchannel } from './backchannel.ts';
import { isEcho } from './echo.ts';
import type { SpeechEvidence } from './speech-evidence.ts';

export interface HeardWords {
  text: string;
  languageHint: string | null;
  over: HeardOver;
  evidence: SpeechEvidence;
}

/** Listeners make room for the speaker again: what takes longer is no backchannel. */
const MAX_BACKCHANNEL_MS = 2500;

/**
 * What the words of an utterance amount to: the one place that decides it. They are the user's turn unless the evidence says
 * otherwise.
 */
export function meaningOf(heard: HeardWords): Meaning {
  if (heard.text === '') return 'nothing';
  if (isPlayedBack(heard)) return 'echo';
  return mayAccompany(heard) && isBackchannel(heard.text, heard.languageHint) ? 'backchannel' : 'words';
}

/** Whether interim words are enough to know that it is the user who speaks, and wants the turn. */
export function areTelling(heard: HeardWords): boolean {
  if (heard.text === '' || heard.over === 'silence') return heard.text !== '';
  if (isPlayedBack(heard)) return false;
  return !(mayAccompany(heard) && mayBeBackchannel(heard.text, heard.languageHint));
}

/** A "yes" that the agent has not said is the user's, however early it comes. */
function isPlayedBack({ text, languageHint, evidence, over }: HeardWords): boolean {
  if (over === 'silence') return false;
  const atStart = over === 'agentStarting' && !isBackchannel(text, languageHint);
  return isEcho(text, evidence, atStart);
}

/** Who has just been asked something answers it: their "yes" is not said in passing. */
function mayAccompany({ evidence }: HeardWords): boolean {
  return evidence.durationMs <= MAX_BACKCHANNEL_MS && !/[?？؟]["'”’»)\s]*$/u.test(evidence.played);
}
