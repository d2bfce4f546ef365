import { described } from '@calls/foundation/schema/annotations';
import { compileValidator, type Issue, type Validator } from '@calls/foundation/schema/validator';
import { Type, type Static, type TSchema } from 'typebox';
import { requestNormalizer, type RequestNormalizer } from '../validation/request-normalizer.ts';
import { isTooDeep } from '../validation/text-issues.ts';
import { DataMessage } from './data-message.ts';
import { ForcedAgentMessage } from './forced-agent-message.ts';
import { MessageText } from './message-text.ts';
import { ClientToolResult, DataConnectionToolResult } from './tool-results.ts';

export const PingMessage = DataMessage(
  'ping',
  { timestamp: Type.Number({ description: 'Any number; `pong` repeats it.' }) },
  'Requests a `pong`.',
);
export type PingMessage = Static<typeof PingMessage>;

export const Urgency = Type.Enum(['immediate', 'soon', 'later']);
export type Urgency = Static<typeof Urgency>;

export const UserTextMessage = DataMessage(
  'user_text_message',
  {
    text: described(MessageText, 'Text of the user.'),
    urgency: Type.Optional(
      described(
        Urgency,
        '`immediate` interrupts the agent; `soon` waits for it; `later` gets no response. Defaults to `soon`.',
      ),
    ),
  },
  'Text from the user.',
);
export type UserTextMessage = Static<typeof UserTextMessage>;

export const InputTextMessage = DataMessage(
  'input_text_message',
  {
    text: described(MessageText, 'Text of the user.'),
    deferResponse: Type.Optional(
      Type.Boolean({ description: 'If true, the urgency is `later`; otherwise `immediate`.' }),
    ),
  },
  'Text from the user, in an older form.',
);
export type InputTextMessage = Static<typeof InputTextMessage>;

export const SetOutputMediumMessage = DataMessage(
  'set_output_medium',
  { medium: Type.Enum(['voice', 'text'], { description: 'Medium of the responses.' }) },
  "Sets the medium from the agent's next response on.",
);
export type SetOutputMediumMessage = Static<typeof SetOutputMediumMessage>;

export const DtmfMessage = DataMessage(
  'dtmf',
  {
    digits: Type.String({
      pattern: '^[0-9A-Da-d*#]{1,100}$',
      description: 'Keys: `0` to `9`, `*`, `#`, `A` to `D`.',
    }),
  },
  'Keys that the user pressed, for WebRTC clients that cannot send RFC 4733 telephone events.',
);
export type DtmfMessage = Static<typeof DtmfMessage>;

export const HangUpMessage = DataMessage(
  'hang_up',
  { message: Type.Optional(described(MessageText, 'What the agent says first. Defaults to nothing.')) },
  'Ends the call.',
);
export type HangUpMessage = Static<typeof HangUpMessage>;

/** All messages of clients, one schema per `type`. */
const schemas = {
  ping: PingMessage,
  user_text_message: UserTextMessage,
  input_text_message: InputTextMessage,
  dtmf: DtmfMessage,
  set_output_medium: SetOutputMediumMessage,
  forced_agent_message: ForcedAgentMessage,
  hang_up: HangUpMessage,
  client_tool_result: ClientToolResult,
  data_connection_tool_result: DataConnectionToolResult,
} as const satisfies Record<string, TSchema>;

export const ClientMessage = Type.Union(Object.values(schemas), {
  title: 'ClientMessage',
  description: 'A data message that a client or data connection sends; `type` says which.',
});
export type ClientMessage = {
  [K in keyof typeof schemas]: Static<(typeof schemas)[K]>;
}[keyof typeof schemas];

interface Reader {
  normalize: RequestNormalizer;
  validator: Validator<ClientMessage>;
}
const readers: ReadonlyMap<string, Reader> = new Map(
  Object.entries(schemas).map(([type, schema]) => [
    type,
    { normalize: requestNormalizer(schema), validator: compileValidator('data message', schema) },
  ]),
);

export type ParsedClientMessage =
  | { kind: 'message'; message: ClientMessage }
  /** A message of an unknown type, to be ignored with a debug note. */
  | { kind: 'unknown'; type: string }
  /** Not JSON, no `type`, or a known type that breaks its schema. To be reported as a warning call event. */
  | { kind: 'malformed'; type: string | null; issues: readonly Issue[] };

const TOO_DEEP: Issue = { path: '', message: 'is nested too deeply' };

/** Parses one text frame. Never throws. */
export function parseClientMessage(text: string): ParsedClientMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'malformed', type: null, issues: [{ path: '', message: 'is not JSON' }] };
  }
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (typeof type !== 'string') {
    return {
      kind: 'malformed',
      type: null,
      issues: [{ path: 'type', message: 'is required and must be a string' }],
    };
  }
  const reader = readers.get(type);
  if (!reader) return { kind: 'unknown', type: type.slice(0, 64) };
  if (isTooDeep(value)) return { kind: 'malformed', type, issues: [TOO_DEEP] };
  const { value: message, issues } = reader.normalize(value);
  issues.push(...reader.validator.issues(message));
  return issues.length > 0
    ? { kind: 'malformed', type, issues }
    : { kind: 'message', message: message as ClientMessage };
}

const MAX_REPORTED_ISSUES = 5;

/** A description of the issues for a call event. */
export function malformedText({ type, issues }: ParsedClientMessage & { kind: 'malformed' }): string {
  const reported = issues
    .slice(0, MAX_REPORTED_ISSUES)
    .map(({ path, message }) => `${path} ${message}`.trim());
  return `${type === null ? 'data message' : `data message "${type}"`}: ${reported.join('; ')}`;
}
