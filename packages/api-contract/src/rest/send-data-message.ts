import { described } from '@calls/foundation/schema/annotations';
import { Closed } from '@calls/foundation/schema/objects';
import { compileValidator, type Issue, type Validator } from '@calls/foundation/schema/validator';
import { Type, type Static, type TObject } from 'typebox';
import { HangUpMessage, Urgency, UserTextMessage } from '../data-messages/client-messages.ts';
import { ForcedAgentMessage } from '../data-messages/forced-agent-message.ts';

const { text } = UserTextMessage.properties;
const { content, toolCalls, uninterruptible } = ForcedAgentMessage.properties;

/** Body of `POST /api/calls/{call_id}/send_data_message`; `dataMessageIssues` checks the fields by `type`. */
export const SendCallDataMessage = Closed(
  {
    type: Type.Enum(['user_text_message', 'forced_agent_message', 'hang_up'], {
      description:
        '`user_text_message`: text from the user; `forced_agent_message`: what the agent says; `hang_up`: ends the call.',
    }),
    text: Type.Optional(described(text, 'Text of the user. Required for `user_text_message`.')),
    urgency: Type.Optional(
      described(
        Urgency,
        'When the message is handled. `forced_agent_message` does not take `later`. Defaults to `soon`.',
      ),
    ),
    content: described(content, 'What the agent says. For `forced_agent_message`.'),
    toolCalls: described(toolCalls, 'Tools that the agent calls. For `forced_agent_message`.'),
    uninterruptible: described(
      uninterruptible,
      'Whether the user cannot interrupt. For `forced_agent_message`. Defaults to false.',
    ),
    message: described(HangUpMessage.properties.message, 'What the agent says first. For `hang_up`.'),
  },
  'SendCallDataMessage',
  'A data message for a live call.',
);
export type SendCallDataMessage = Static<typeof SendCallDataMessage>;

const closed = (message: TObject): Validator<unknown> =>
  compileValidator('data message', Closed(message.properties));
const byType: Readonly<Record<string, Validator<unknown>>> = {
  user_text_message: closed(UserTextMessage),
  forced_agent_message: closed(ForcedAgentMessage),
  hang_up: closed(HangUpMessage),
};

/** Violations of the schema of the message's type, besides those of the common schema. */
export function dataMessageIssues(body: unknown): Issue[] {
  if (typeof body !== 'object' || body === null || !('type' in body)) return [];
  const type = String(body.type);
  const reported = new Set(generalValidator.issues(body).map(({ path }) => path));
  const issues = Object.hasOwn(byType, type) ? byType[type]?.issues(body) : undefined;
  return (issues ?? []).filter(({ path }) => !reported.has(path));
}

const generalValidator = compileValidator('data message', SendCallDataMessage);
