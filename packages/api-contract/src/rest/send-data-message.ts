import { Type, type Static, type TObject } from 'typebox';
import { HangUpMessage, Urgency, UserTextMessage } from '../data-messages/client-messages.ts';
import { ForcedAgentMessage } from '../data-messages/forced-agent-message.ts';
import { compileValidator, type Fault, type Validator } from '../validation/validator.ts';
import { Closed } from './common.ts';

const { text } = UserTextMessage.properties;
const { content, toolCalls, uninterruptible } = ForcedAgentMessage.properties;

/** Body of `POST /api/calls/{call_id}/send_data_message`; `dataMessageFaults` tells what else must hold. */
export const SendCallDataMessage = Closed(
  {
    type: Type.Enum(['user_text_message', 'forced_agent_message', 'hang_up']),
    text: Type.Optional(Type.With(text, { description: 'Of a user_text_message, which needs it.' })),
    urgency: Type.Optional(
      Type.With(Urgency, { description: 'Of a user_text_message or (not later) a forced_agent_message.' }),
    ),
    content: Type.With(content, { description: 'Of a forced_agent_message.' }),
    toolCalls: Type.With(toolCalls, { description: 'Of a forced_agent_message.' }),
    uninterruptible: Type.With(uninterruptible, { description: 'Of a forced_agent_message.' }),
    message: Type.With(HangUpMessage.properties.message, { description: 'Of a hang_up.' }),
  },
  'SendCallDataMessage',
);
export type SendCallDataMessage = Static<typeof SendCallDataMessage>;

const closed = (message: TObject): Validator<unknown> =>
  compileValidator('data message', Closed(message.properties));
const byType: Readonly<Record<string, Validator<unknown>>> = {
  user_text_message: closed(UserTextMessage),
  forced_agent_message: closed(ForcedAgentMessage),
  hang_up: closed(HangUpMessage),
};

/** What a message of its type breaks that the schema of all types doesn't tell. */
export function dataMessageFaults(body: unknown): Fault[] {
  if (typeof body !== 'object' || body === null || !('type' in body)) return [];
  const type = String(body.type);
  const told = new Set(generalValidator.faults(body).map(({ path }) => path));
  const faults = Object.hasOwn(byType, type) ? byType[type]?.faults(body) : undefined;
  return (faults ?? []).filter(({ path }) => !told.has(path));
}

const generalValidator = compileValidator('data message', SendCallDataMessage);
