import type { CallSpec, CallState, StageSpec } from '@calls/api-contract/call-spec';
import type { MessageMedium } from '@calls/api-contract/data-messages/server-messages';
import type { Message } from '@calls/api-contract/rest/message';
import type { TokenUsage } from '../ports/language-model.ts';
import type { TranscriptEntry } from '../transcript/recent-transcript.ts';

/** A conversation between two connections: all that a session needs to go on with it. Plain data. */
export interface CallSnapshot {
  /** The stage that the call is in. */
  stage: StageSpec;
  /** What the tools of the stage made of its state. */
  state: CallState;
  /** Of the stage: the newest, as KeptMessages keeps them. */
  messages: readonly Message[];
  /** Of the stage's next message. */
  nextIndex: number;
  /** Of the next utterance in the transcript. */
  nextOrdinal: number;
  /** The newest utterances in the transcript, as ShownUtterances keeps them. */
  shown: readonly TranscriptEntry[];
  outputMedium: MessageMedium;
  /** Since the join. */
  usage: TokenUsage;
  /** The first join, in wall time: call time counts from here. */
  joinedAtMs: number;
}

/** How a call begins, but for the initial messages of its first stage. */
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
    usage: { inputTokens: 0, outputTokens: 0 },
    joinedAtMs,
  };
}
