import { Type, type Static } from 'typebox';
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
  invocationId: Type.String({ minLength: 1, maxLength: 128 }),
  result: Type.Optional(MessageText),
  responseType: Type.Optional(ToolResponseType),
  agentReaction: Type.Optional(ToolReaction),
  errorType: Type.Optional(ToolErrorType),
  /** Stored in errorDetails; not sent to the model. */
  errorMessage: Type.Optional(MessageText),
  updateCallState: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
};

export const ClientToolResult = Type.Object({ type: Type.Literal('client_tool_result'), ...result });
export type ClientToolResult = Static<typeof ClientToolResult>;

export const DataConnectionToolResult = Type.Object({
  type: Type.Literal('data_connection_tool_result'),
  ...result,
});
export type DataConnectionToolResult = Static<typeof DataConnectionToolResult>;
