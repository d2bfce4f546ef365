import { described } from '@calls/foundation/schema/annotations';
import { Type, type Static } from 'typebox';
import { DataMessage } from './data-message.ts';
import { MessageText } from './message-text.ts';

/** `undefined`: the tool does not exist; `implementation-error`: it failed. */
export const ToolErrorType = Type.Enum(['undefined', 'implementation-error']);
export type ToolErrorType = Static<typeof ToolErrorType>;

/** What the result of a tool requests. */
export const ToolResponseType = Type.Enum(['tool-response', 'hang-up', 'new-stage']);
export type ToolResponseType = Static<typeof ToolResponseType>;

/** The agent's reaction to a result. `speaks-once`: speaks unless it has just spoken. */
export const ToolReaction = Type.Enum(['speaks', 'listens', 'speaks-once']);
export type ToolReaction = Static<typeof ToolReaction>;

const result = {
  invocationId: Type.String({
    minLength: 1,
    maxLength: 128,
    description: '`invocationId` of the message that requested the invocation.',
  }),
  result: Type.Optional(described(MessageText, 'Result, for the model.')),
  responseType: Type.Optional(
    described(ToolResponseType, 'What the result requests. Defaults to `tool-response`.'),
  ),
  agentReaction: Type.Optional(
    described(ToolReaction, '`speaks-once`: speaks unless it has just spoken. Defaults to `speaks`.'),
  ),
  errorType: Type.Optional(
    described(
      ToolErrorType,
      'If the tool failed: `undefined` if it does not exist, otherwise `implementation-error`.',
    ),
  ),
  errorMessage: Type.Optional(
    described(MessageText, 'Why it failed. Stored as `errorDetails`; not sent to the model.'),
  ),
  updateCallState: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Changes of the call state, by key.' }),
  ),
};

export const ClientToolResult = DataMessage('client_tool_result', result, 'Result of a client tool.');
export type ClientToolResult = Static<typeof ClientToolResult>;

export const DataConnectionToolResult = DataMessage(
  'data_connection_tool_result',
  result,
  'Result of a data-connection tool.',
);
export type DataConnectionToolResult = Static<typeof DataConnectionToolResult>;
