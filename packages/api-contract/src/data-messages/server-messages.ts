import type { Severity } from '../rest/enums.ts';
import type { DataMessageFlags } from './data-message-flags.ts';

/** What the conversation is doing, as a client shows it. */
export type AgentState = 'idle' | 'listening' | 'thinking' | 'speaking';

export type MessageMedium = 'voice' | 'text';

export interface TranscriptMessage {
  type: 'transcript';
  role: 'user' | 'agent';
  medium: MessageMedium;
  /** Replaces what was shown for this ordinal; exactly one of `text` and `delta` is a string. */
  text: string | null;
  /** Is appended to what was shown for this ordinal. */
  delta: string | null;
  final: boolean;
  /** Dense, 0-based index of the utterance in conversation order. */
  ordinal: number;
}

export interface CallEventMessage {
  type: 'call_event';
  /** Time since the join, as a duration ("1.25s"). */
  callTimestamp: string;
  severity: Severity;
  /** snake_case, at most 50 characters. */
  eventType: string;
  text: string;
  extras: Record<string, unknown> | null;
}

/** Everything the service says to a client; sent as JSON, one object a text frame. */
export type ServerMessage =
  | { type: 'call_started'; callId: string }
  | { type: 'pong'; timestamp: number }
  | { type: 'state'; state: AgentState }
  | TranscriptMessage
  | { type: 'playback_clear_buffer' }
  | { type: 'debug'; message: string }
  | CallEventMessage
  | { type: 'user_started_speaking'; callTimestamp: string }
  | { type: 'user_stopped_speaking'; callTimestamp: string };

/** The flag that lets a message of each type through. */
const FLAG_OF: Record<ServerMessage['type'], keyof DataMessageFlags> = {
  call_started: 'callStarted',
  pong: 'pong',
  state: 'state',
  transcript: 'transcript',
  playback_clear_buffer: 'playbackClearBuffer',
  debug: 'debug',
  call_event: 'callEvent',
  user_started_speaking: 'userStartedSpeaking',
  user_stopped_speaking: 'userStoppedSpeaking',
};

/** On by default everywhere. */
const COMMON_DEFAULTS: DataMessageFlags = {
  callStarted: true,
  pong: true,
  state: true,
  transcript: true,
  clientToolInvocation: true,
};

export const SERVER_WEB_SOCKET_DEFAULTS: DataMessageFlags = { ...COMMON_DEFAULTS, playbackClearBuffer: true };

export function isEnabled(
  message: ServerMessage,
  flags: DataMessageFlags,
  defaults: DataMessageFlags,
): boolean {
  const flag = FLAG_OF[message.type];
  return flags[flag] ?? defaults[flag] ?? false;
}
