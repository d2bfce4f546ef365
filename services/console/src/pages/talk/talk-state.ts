import type { CallEnd, CallStatus, ServerMessage, Transcript } from '@calls/client';
import type { Invocation } from './client-tools.ts';
import type { CallNote, MeasuredTurn, UsedTool } from './conversation.ts';
import type { TalkProblem } from './talk-problem.ts';

/** The state of a call that the page shows. */
export interface TalkState {
  /** `starting`: asking for the microphone, creating the call, joining it. */
  readonly phase: 'setup' | 'starting' | 'inCall' | 'ended';
  readonly callId: string | null;
  readonly status: CallStatus;
  readonly isReconnecting: boolean;
  readonly hasMicrophone: boolean;
  readonly isMicMuted: boolean;
  readonly isSpeakerMuted: boolean;
  /** The browser blocks audio until the user clicks. */
  readonly isAudioBlocked: boolean;
  readonly output: 'voice' | 'text';
  readonly transcripts: readonly Transcript[];
  /** Ordinals of interrupted utterances of the agent. */
  readonly interrupted: ReadonlySet<number>;
  readonly turns: readonly MeasuredTurn[];
  readonly tools: readonly UsedTool[];
  readonly notes: readonly CallNote[];
  readonly isUserSpeaking: boolean;
  /** Words that the user has said so far and that are not a message yet. */
  readonly interim: string;
  readonly invocations: readonly Invocation[];
  /** Epoch milliseconds. */
  readonly joinedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly end: CallEnd | null;
  /** Why the call could not start, or was lost. */
  readonly problem: TalkProblem | null;
  /** A problem during the call. */
  readonly notice: string | null;
}

export const BEFORE: TalkState = {
  phase: 'setup',
  callId: null,
  status: 'disconnected',
  isReconnecting: false,
  hasMicrophone: false,
  isMicMuted: false,
  isSpeakerMuted: false,
  isAudioBlocked: false,
  output: 'voice',
  transcripts: [],
  interrupted: new Set(),
  turns: [],
  tools: [],
  notes: [],
  isUserSpeaking: false,
  interim: '',
  invocations: [],
  joinedAtMs: null,
  endedAtMs: null,
  end: null,
  problem: null,
  notice: null,
};

/** Audio levels of both sides, 0 to 1, from the browser SDK. */
export interface Levels {
  readonly microphone: number;
  readonly agent: number;
}

/**
 * The latency of a turn if the message reports it: from the end of the user's speech until the first sound of the
 * response is played. Null for other messages.
 */
export function turnTookMs(message: ServerMessage): number | null {
  if (message.type !== 'call_event' || message.eventType !== 'turn_latency') return null;
  const firstSoundMs = message.extras?.['firstSoundMs'];
  return typeof firstSoundMs === 'number' ? firstSoundMs : null;
}

/** `320 ms`, `1.2 s`. */
export function turnText(tookMs: number): string {
  return tookMs < 1000 ? `${Math.round(tookMs)} ms` : `${(tookMs / 1000).toFixed(1)} s`;
}
