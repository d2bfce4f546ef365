import type { CallSpec, CallState, StageSpec } from '@calls/api-contract/call-spec';
import type { MessageMedium } from '@calls/api-contract/data-messages/server-messages';
import type { TokenUsage } from '@calls/engine-ports/language-model';
import type { Answer } from '../answering-machine/answer-classifier.ts';
import type { CallMessage } from '../transcript/call-message.ts';
import type { TranscriptEntry } from '../transcript/recent-transcript.ts';

/** A response that was cut off because the client was lost or the worker stopped. */
export interface CutOffResponse {
  /** The text with which to continue; null: the response has to be generated again. */
  remainder: string | null;
  interruptible: boolean;
}

/** The state of a call that a session needs to continue it. Plain data; stored in checkpoints. */
export interface CallSnapshot {
  /** The current stage. */
  stage: StageSpec;
  /** The stage state, with the changes made by tools. */
  state: CallState;
  /** The newest messages of the stage (see RecentMessages). */
  messages: readonly CallMessage[];
  /** Index of the next message in the stage. */
  nextIndex: number;
  /** Ordinal of the next transcript entry. */
  nextOrdinal: number;
  /** The newest transcript entries (see RecentTranscript). */
  shown: readonly TranscriptEntry[];
  outputMedium: MessageMedium;
  /** The part of the agent's newest message that was not delivered. */
  cutOff: CutOffResponse | null;
  /** Whether a phone menu was on the line. */
  inMenu: boolean;
  /** What answered an outgoing call; null if unknown. */
  answer: Answer | null;
  /** Token usage since the first join. */
  usage: TokenUsage;
  /** Time of the first join, in wall time. Call time counts from here. */
  joinedAtMs: number;
}

/** The state at the first join. Initial messages are not included. */
export function snapshotAtJoin(spec: CallSpec, joinedAtMs: number): CallSnapshot {
  const { firstStage, initialOutputMedium } = spec;
  return {
    stage: firstStage,
    state: firstStage.initialState,
    messages: [],
    nextIndex: 0,
    nextOrdinal: 0,
    shown: [],
    outputMedium: initialOutputMedium,
    cutOff: null,
    inMenu: false,
    answer: null,
    usage: { inputTokens: 0, outputTokens: 0 },
    joinedAtMs,
  };
}
