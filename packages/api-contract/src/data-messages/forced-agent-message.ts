import { described } from '@calls/foundation/schema/annotations';
import { Closed } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { DataMessage } from './data-message.ts';
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

export const ForcedAgentMessage = DataMessage(
  'forced_agent_message',
  {
    content: Type.Optional(described(MessageText, 'What the agent says. Defaults to nothing.')),
    toolCalls: Type.Optional(
      Type.Array(ForcedToolCall, { maxItems: 20, description: 'Tools that the agent calls.' }),
    ),
    uninterruptible: Type.Optional(
      Type.Boolean({ description: 'Whether the user cannot interrupt. Defaults to false.' }),
    ),
    urgency: Type.Optional(
      Type.Enum(['immediate', 'soon'], {
        description:
          '`immediate` interrupts; `soon` waits until the user has a response. Defaults to `soon`.',
      }),
    ),
  },
  'Makes the agent say exactly `content`, and call these tools.',
);
export type ForcedAgentMessage = Static<typeof ForcedAgentMessage>;
