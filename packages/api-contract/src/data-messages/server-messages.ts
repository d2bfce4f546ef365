import type { Severity } from '../rest/enums.ts';
import type { DataMessageFlags } from './data-message-flags.ts';
import type { ToolErrorType } from './tool-results.ts';

/** The state of the conversation, for display by clients. */
export type AgentState = 'idle' | 'listening' | 'thinking' | 'speaking';

export type MessageMedium = 'voice' | 'text';

export interface TranscriptMessage {
  type: 'transcript';
  role: 'user' | 'agent';
  medium: MessageMedium;
  /** Replaces what was shown for this ordinal; exactly one of `text` and `delta` is a string. */
  text: string | null;
  /** Appended to the text of this ordinal. */
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

interface Invocation {
  toolName: string;
  invocationId: string;
  parameters: Readonly<Record<string, unknown>>;
}

/** A tool has returned a result or failed. */
export interface ToolUsedMessage {
  type: 'tool_used';
  toolName: string;
  invocationId: string;
  /** Exactly one of `result` and `errorType` is set. */
  result?: string;
  errorType?: ToolErrorType;
  durationMs: number;
}

export interface CallStartedMessage {
  type: 'call_started';
  callId: string;
  /** How long a disconnected client may take to return. Missing from earlier releases: 10 s. */
  reconnectGraceMs?: number;
}

/** All messages of the service, sent as JSON, one object per text frame. */
export type ServerMessage =
  | CallStartedMessage
  | { type: 'pong'; timestamp: number }
  | { type: 'state'; state: AgentState }
  | TranscriptMessage
  | ({ type: 'client_tool_invocation' } & Invocation)
  | ({ type: 'data_connection_tool_invocation' } & Invocation)
  | ({ type: 'invoking_tool' } & Invocation)
  | ToolUsedMessage
  | { type: 'playback_clear_buffer' }
  | { type: 'debug'; message: string }
  | CallEventMessage
  | { type: 'user_started_speaking'; callTimestamp: string }
  | { type: 'user_stopped_speaking'; callTimestamp: string }
  /** Replaces the previous one; empty when the words are in a `transcript`, or were dismissed. */
  | { type: 'interim_transcript'; text: string };

/** The flag that enables each type of message. */
const FLAG_OF: Record<ServerMessage['type'], keyof DataMessageFlags> = {
  call_started: 'callStarted',
  pong: 'pong',
  state: 'state',
  transcript: 'transcript',
  client_tool_invocation: 'clientToolInvocation',
  data_connection_tool_invocation: 'dataConnectionToolInvocation',
  invoking_tool: 'invokingTool',
  tool_used: 'toolUsed',
  playback_clear_buffer: 'playbackClearBuffer',
  debug: 'debug',
  call_event: 'callEvent',
  user_started_speaking: 'userStartedSpeaking',
  user_stopped_speaking: 'userStoppedSpeaking',
  interim_transcript: 'interimTranscript',
};

/** Flags that are enabled by default on every medium. */
const COMMON_DEFAULTS: DataMessageFlags = {
  callStarted: true,
  pong: true,
  state: true,
  transcript: true,
  clientToolInvocation: true,
};

export const SERVER_WEB_SOCKET_DEFAULTS: DataMessageFlags = { ...COMMON_DEFAULTS, playbackClearBuffer: true };

export const WEB_RTC_DEFAULTS = COMMON_DEFAULTS;

export const DATA_CONNECTION_DEFAULTS: DataMessageFlags = {
  ...COMMON_DEFAULTS,
  clientToolInvocation: false,
  dataConnectionToolInvocation: true,
};

export function isEnabled(
  message: ServerMessage,
  flags: DataMessageFlags,
  defaults: DataMessageFlags,
): boolean {
  const flag = FLAG_OF[message.type];
  return flags[flag] ?? defaults[flag] ?? false;
}

/** Messages that a client enables for its connection, in addition to those of the call. */
export interface MessageSwitches {
  flags: DataMessageFlags;
  /** Unknown names, for a call event. */
  unknown: string[];
}

/** Query parameters of a join URL that enable messages; both are equivalent. */
const SWITCHES = ['experimentalMessages', 'additionalMessages'];
const MAX_SWITCHES_LENGTH = 1024;
const MAX_UNKNOWN = 8;
const MAX_NAME_LENGTH = 64;
const FLAGS_BY_NAME = new Map<string, keyof DataMessageFlags>([
  ...Object.entries(FLAG_OF),
  ...Object.values(FLAG_OF).map((flag) => [flag, flag] as const),
]);

/** Comma-separated message names, by `type` or by flag. Never throws: unknown names are returned in `unknown`. */
export function readMessageSwitches(query: URLSearchParams): MessageSwitches {
  const text = SWITCHES.flatMap((name) => query.getAll(name)).join(',');
  const names = text
    .slice(0, MAX_SWITCHES_LENGTH)
    .split(',')
    .map((name) => name.trim());
  const flags: DataMessageFlags = {};
  const unknown = new Set<string>();
  for (const name of names.filter(Boolean)) {
    const flag = FLAGS_BY_NAME.get(name);
    if (flag) flags[flag] = true;
    else if (unknown.size < MAX_UNKNOWN) unknown.add(name.slice(0, MAX_NAME_LENGTH).toWellFormed());
  }
  return { flags, unknown: [...unknown] };
}
