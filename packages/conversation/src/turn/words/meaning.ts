import type { HeardOver, Meaning } from '../turn-types.ts';
import { isBackchannel, mayBeBackchannel } from './backchannel.ts';
import { isEcho } from './echo.ts';

export interface HeardWords {
  text: string;
  languageHint: string | null;
  /** What the agent has said lately. */
  agentWords: string;
  over: HeardOver;
}

/** What the words of a whole utterance amount to. */
export function meaningOf(heard: HeardWords): Meaning {
  if (heard.text === '') return 'nothing';
  if (comesBack(heard)) return 'echo';
  return isBackchannel(heard.text, heard.languageHint) ? 'backchannel' : 'words';
}

/** Whether interim words are enough to know that it is the user who speaks, and wants the turn. */
export function areTelling(heard: HeardWords): boolean {
  if (heard.text === '') return false;
  return heard.over === 'silence' || !(comesBack(heard) || mayBeBackchannel(heard.text, heard.languageHint));
}

/** A "yes" that the agent has not said is the user's, however early it comes. */
function comesBack({ text, languageHint, agentWords, over }: HeardWords): boolean {
  if (over === 'silence') return false;
  const atStart = over === 'agentStarting' && !isBackchannel(text, languageHint);
  return isEcho(text, agentWords, atStart);
}
