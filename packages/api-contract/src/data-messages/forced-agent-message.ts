import { Type, type Static } from 'typebox';
import { Closed } from '../rest/common.ts';
import { MAX_MESSAGE_TEXT_LENGTH } from './client-messages.ts';

export const ForcedToolCall = Closed(
  {
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    name: Type.String({ minLength: 1, maxLength: 64 }),
    arguments: Type.Record(Type.String(), Type.Unknown()),
  },
  'ForcedToolCall',
);

/** The agent says exactly `content` and calls these tools. */
export const ForcedAgentMessage = Type.Object({
  type: Type.Literal('forced_agent_message'),
  content: Type.Optional(Type.String({ maxLength: MAX_MESSAGE_TEXT_LENGTH })),
  toolCalls: Type.Optional(Type.Array(ForcedToolCall, { maxItems: 20 })),
  uninterruptible: Type.Optional(Type.Boolean()),
  urgency: Type.Optional(Type.Enum(['immediate', 'soon'])),
});
export type ForcedAgentMessage = Static<typeof ForcedAgentMessage>;
