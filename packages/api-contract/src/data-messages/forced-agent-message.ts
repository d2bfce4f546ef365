import { Type, type Static } from 'typebox';
import { Closed } from '../rest/common.ts';
import { MessageText } from './message-text.ts';

export const ForcedToolCall = Closed(
  {
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    name: Type.String({ minLength: 1, maxLength: 64 }),
    arguments: Type.Record(Type.String(), Type.Unknown()),
  },
  'ForcedToolCall',
);
export type ForcedToolCall = Static<typeof ForcedToolCall>;

/** The agent says exactly `content` and calls these tools. */
export const ForcedAgentMessage = Type.Object({
  type: Type.Literal('forced_agent_message'),
  content: Type.Optional(MessageText),
  toolCalls: Type.Optional(Type.Array(ForcedToolCall, { maxItems: 20 })),
  uninterruptible: Type.Optional(Type.Boolean()),
  urgency: Type.Optional(Type.Enum(['immediate', 'soon'])),
});
export type ForcedAgentMessage = Static<typeof ForcedAgentMessage>;
