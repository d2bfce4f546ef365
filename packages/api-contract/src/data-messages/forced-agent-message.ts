import { Closed } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { MessageText } from './message-text.ts';

export const ForcedToolCall = Closed(
  {
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Invocation id; generated when it is absent.',
      }),
    ),
    name: Type.String({ minLength: 1, maxLength: 64, description: 'Model tool name of the tool.' }),
    arguments: Type.Record(Type.String(), Type.Unknown(), { description: 'Arguments by name.' }),
  },
  'ForcedToolCall',
  'A tool call that a message makes the agent perform.',
);
export type ForcedToolCall = Static<typeof ForcedToolCall>;

/** Makes the agent say exactly `content`, and call these tools. */
export const ForcedAgentMessage = Type.Object({
  type: Type.Literal('forced_agent_message'),
  content: Type.Optional(MessageText),
  toolCalls: Type.Optional(Type.Array(ForcedToolCall, { maxItems: 20 })),
  uninterruptible: Type.Optional(Type.Boolean()),
  urgency: Type.Optional(Type.Enum(['immediate', 'soon'])),
});
export type ForcedAgentMessage = Static<typeof ForcedAgentMessage>;
