import { described } from '@calls/foundation/schema/annotations';
import { Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { Severity } from '../rest/enums.ts';
import type { DataMessageFlags } from './data-message-flags.ts';
import { DataMessage } from './data-message.ts';
import { ToolErrorType } from './tool-results.ts';

const AgentState = Type.Enum(['idle', 'listening', 'thinking', 'speaking'], {
  description: 'State of the conversation, for display. `idle`: before it begins.',
});
export type AgentState = Static<typeof AgentState>;

const MessageMedium = Type.Enum(['voice', 'text'], { description: 'How it was said.' });
export type MessageMedium = Static<typeof MessageMedium>;

const TranscriptMessage = DataMessage(
  'transcript',
  {
    role: Type.Enum(['user', 'agent'], { description: 'Who said it.' }),
    medium: MessageMedium,
    text: Nullable(Type.String(), 'Replaces the text of this ordinal; null if `delta` is set.'),
    delta: Nullable(Type.String(), 'Appended to the text of this ordinal; null if `text` is set.'),
    final: Type.Boolean({ description: 'Whether the utterance is complete.' }),
    ordinal: Type.Integer({
      minimum: 0,
      description: 'Dense index of the utterance in the order of the conversation, from 0.',
    }),
  },
  'What the user or the agent says.',
);
export type TranscriptMessage = Static<typeof TranscriptMessage>;

const CallEventMessage = DataMessage(
  'call_event',
  {
    callTimestamp: described(Duration, 'Time since the client joined.'),
    severity: described(Severity, 'How serious the event is.'),
    eventType: Type.String({ maxLength: 50, description: 'Type of the event, for programs.' }),
    text: Type.String({ description: 'What happened, in one sentence.' }),
    extras: Nullable(
      Type.Record(Type.String(), Type.Unknown()),
      'Details that depend on `eventType`; null without details.',
    ),
  },
  'A call event.',
);
export type CallEventMessage = Static<typeof CallEventMessage>;

const tool = {
  toolName: Type.String({ description: 'Model tool name of the tool.' }),
  invocationId: Type.String({ description: 'Id of the invocation.' }),
};
const invocation = {
  ...tool,
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'Arguments by name.' }),
};
const speechEdge = { callTimestamp: described(Duration, 'Time since the client joined.') };

const ToolUsedMessage = DataMessage(
  'tool_used',
  {
    ...tool,
    result: Type.Optional(Type.String({ description: 'Result; absent if the tool failed.' })),
    errorType: Type.Optional(described(ToolErrorType, 'Why the tool failed; absent if it did not.')),
    durationMs: Type.Number({ minimum: 0, description: 'How long the tool ran.' }),
  },
  'A tool has returned a result or failed.',
);
export type ToolUsedMessage = Static<typeof ToolUsedMessage>;

const CallStartedMessage = DataMessage(
  'call_started',
  {
    callId: described(Uuid, 'Id of the call.'),
    reconnectGraceMs: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'How long a disconnected client may take to return. Absent in early releases: 10 s.',
      }),
    ),
  },
  'The first message.',
);
export type CallStartedMessage = Static<typeof CallStartedMessage>;

/** All messages of the service, sent as JSON, one object per text frame. */
export const ServerMessage = Type.Union(
  [
    CallStartedMessage,
    DataMessage(
      'pong',
      { timestamp: Type.Number({ description: '`timestamp` of the `ping`.' }) },
      'Response to `ping`.',
    ),
    DataMessage('state', { state: AgentState }, "A change of the agent's state."),
    TranscriptMessage,
    DataMessage('client_tool_invocation', invocation, 'The client runs this tool.'),
    DataMessage('data_connection_tool_invocation', invocation, 'The data connection runs this tool.'),
    DataMessage('invoking_tool', invocation, 'A tool was called.'),
    ToolUsedMessage,
    DataMessage('playback_clear_buffer', {}, 'The client drops audio that was not played.'),
    DataMessage(
      'debug',
      { message: Type.String({ description: 'What happened.' }) },
      'A message for debugging.',
    ),
    CallEventMessage,
    DataMessage('user_started_speaking', speechEdge, 'Voice activity of the user began.'),
    DataMessage('user_stopped_speaking', speechEdge, 'Voice activity of the user ended.'),
    DataMessage(
      'interim_transcript',
      {
        text: Type.String({
          description: 'Replaces the previous one; empty when the words are a message or were dismissed.',
        }),
      },
      'What the user has said so far.',
    ),
  ],
  {
    title: 'ServerMessage',
    description:
      'A data message of the service; `type` says which. Later releases may add types: ignore those.',
  },
);
export type ServerMessage = Static<typeof ServerMessage>;

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
