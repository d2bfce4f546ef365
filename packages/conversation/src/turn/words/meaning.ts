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

/** A backchannel is short. Longer speech over the agent is a turn. */
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

/** Whether interim words are enough to decide that the user is speaking and wants the turn. */
export function hasContent(heard: HeardWords): boolean {
  if (heard.text === '' || heard.over === 'silence') return heard.text !== '';
  if (isPlayedBack(heard)) return false;
  return !(mayAccompany(heard) && mayBeBackchannel(heard.text, heard.languageHint));
}

/** Whether the words are the agent's voice in the user's microphone. A "yes" that the agent did not say never is. */
function isPlayedBack({ text, languageHint, evidence, over }: HeardWords): boolean {
  if (over === 'silence') return false;
  const atStart = over === 'agentStarting' && !isBackchannel(text, languageHint);
  return isEcho(text, evidence, atStart);
}

/** Whether the words can be a backchannel: a "yes" right after a question of the agent is an answer to it. */
function mayAccompany({ evidence }: HeardWords): boolean {
  return evidence.durationMs <= MAX_BACKCHANNEL_MS && !/[?？؟]["'”’»)\s]*$/u.test(evidence.played);
}
