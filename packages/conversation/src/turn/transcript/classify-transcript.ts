import type { AgentActivity, TranscriptKind } from '../turn-types.ts';
import { isBackchannel, mayBeBackchannel } from './backchannel.ts';
import { isEcho, type SpeechEvidence } from './echo.ts';

export interface OverlapTranscript {
  text: string;
  languageHint: string | null;
  over: AgentActivity;
  evidence: SpeechEvidence;
}

/** Longer speech over the agent is a turn. */
const MAX_BACKCHANNEL_MS = 2500;

/**
 * Classifies the transcript of an utterance; the only place that decides this. It is a user turn unless the
 * evidence indicates otherwise.
 */
export function classifyTranscript(transcript: OverlapTranscript): TranscriptKind {
  if (transcript.text === '') return 'nothing';
  if (isAgentEcho(transcript)) return 'echo';
  return couldBeBackchannel(transcript) && isBackchannel(transcript.text, transcript.languageHint)
    ? 'backchannel'
    : 'words';
}

/** Whether an interim transcript is enough to decide that the user takes the turn. */
export function hasContent(transcript: OverlapTranscript): boolean {
  if (transcript.text === '' || transcript.over === 'silence') return transcript.text !== '';
  if (isAgentEcho(transcript)) return false;
  return !(couldBeBackchannel(transcript) && mayBeBackchannel(transcript.text, transcript.languageHint));
}

/**
 * Whether the transcript is an echo of the agent's voice. A backchannel that the agent did not say never is.
 */
function isAgentEcho({ text, languageHint, evidence, over }: OverlapTranscript): boolean {
  if (over === 'silence') return false;
  const atStart = over === 'agentStarting' && !isBackchannel(text, languageHint);
  return isEcho(text, evidence, atStart);
}

/** Whether the transcript can be a backchannel: "yes" right after the agent's question is a response. */
function couldBeBackchannel({ evidence }: OverlapTranscript): boolean {
  return evidence.durationMs <= MAX_BACKCHANNEL_MS && !/[?？؟]["'”’»)\s]*$/u.test(evidence.played);
}
