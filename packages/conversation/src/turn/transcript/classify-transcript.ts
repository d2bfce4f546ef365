import type { AgentActivity, TranscriptKind } from '../turn-types.ts';
import { isBackchannel, mayBeBackchannel } from './backchannel.ts';
import { isEcho } from './echo.ts';
import type { SpeechEvidence } from './speech-evidence.ts';

export interface OverlapTranscript {
  text: string;
  languageHint: string | null;
  over: AgentActivity;
  evidence: SpeechEvidence;
}

/** A backchannel is short. Longer speech over the agent is a turn. */
const MAX_BACKCHANNEL_MS = 2500;

/**
 * What the words of an utterance amount to: the one place that decides it. They are the user's turn unless the evidence says
 * otherwise.
 */
export function classifyTranscript(heard: OverlapTranscript): TranscriptKind {
  if (heard.text === '') return 'nothing';
  if (isAgentEcho(heard)) return 'echo';
  return couldBeBackchannel(heard) && isBackchannel(heard.text, heard.languageHint) ? 'backchannel' : 'words';
}

/** Whether interim words are enough to decide that the user is speaking and wants the turn. */
export function hasContent(heard: OverlapTranscript): boolean {
  if (heard.text === '' || heard.over === 'silence') return heard.text !== '';
  if (isAgentEcho(heard)) return false;
  return !(couldBeBackchannel(heard) && mayBeBackchannel(heard.text, heard.languageHint));
}

/** Whether the words are the agent's voice in the user's microphone. A "yes" that the agent did not say never is. */
function isAgentEcho({ text, languageHint, evidence, over }: OverlapTranscript): boolean {
  if (over === 'silence') return false;
  const atStart = over === 'agentStarting' && !isBackchannel(text, languageHint);
  return isEcho(text, evidence, atStart);
}

/** Whether the words can be a backchannel: a "yes" right after a question of the agent is an answer to it. */
function couldBeBackchannel({ evidence }: OverlapTranscript): boolean {
  return evidence.durationMs <= MAX_BACKCHANNEL_MS && !/[?？؟]["'”’»)\s]*$/u.test(evidence.played);
}
