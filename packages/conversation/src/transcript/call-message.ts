import type { MessageMedium } from '@calls/api-contract/data-messages/server-messages';
import type { MessageMediumEnum, MessageRole as StoredRole } from '@calls/api-contract/rest/enums';
import type { Message } from '@calls/api-contract/rest/message';

export type MessageRole = 'user' | 'agent' | 'tool_call' | 'tool_result' | 'unspecified';

/** Role of an instruction to the agent. The API has no dedicated role for it. */
export const INSTRUCTION_ROLE = 'unspecified';

/** A message of the call, with this package's names of roles and media. All other fields are those of the API. */
export interface CallMessage extends Omit<Message, 'role' | 'medium'> {
  role?: MessageRole;
  medium?: MessageMedium | 'unspecified';
}

const STORED_ROLES: Readonly<Record<MessageRole, StoredRole>> = {
  user: 'MESSAGE_ROLE_USER',
  agent: 'MESSAGE_ROLE_AGENT',
  tool_call: 'MESSAGE_ROLE_TOOL_CALL',
  tool_result: 'MESSAGE_ROLE_TOOL_RESULT',
  unspecified: 'MESSAGE_ROLE_UNSPECIFIED',
};
const STORED_MEDIA: Readonly<Record<NonNullable<CallMessage['medium']>, MessageMediumEnum>> = {
  voice: 'MESSAGE_MEDIUM_VOICE',
  text: 'MESSAGE_MEDIUM_TEXT',
  unspecified: 'MESSAGE_MEDIUM_UNSPECIFIED',
};
const ROLES = inverse(STORED_ROLES);
const MEDIA = inverse(STORED_MEDIA);

/** Converts a message of the API, of a call spec or of the call log. */
export function callMessageOf({ role, medium, ...rest }: Message): CallMessage {
  return {
    ...(role !== undefined && { role: ROLES[role] }),
    ...(medium !== undefined && { medium: MEDIA[medium] }),
    ...rest,
  };
}

/** Converts a message to its form in the API and in the call log. */
export function storedMessageOf({ role, medium, ...rest }: CallMessage): Message {
  return {
    ...(role !== undefined && { role: STORED_ROLES[role] }),
    ...(medium !== undefined && { medium: STORED_MEDIA[medium] }),
    ...rest,
  };
}

function inverse<Own extends string, Stored extends string>(
  names: Readonly<Record<Own, Stored>>,
): Readonly<Record<Stored, Own>> {
  const entries = Object.entries<Stored>(names).map(([own, stored]) => [stored, own]);
  return Object.fromEntries(entries) as Record<Stored, Own>;
}
