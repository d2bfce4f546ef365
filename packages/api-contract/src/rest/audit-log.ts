import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';

export const ADMIN_ACTIONS = [
  'account.created',
  'account.updated',
  'account.suspended',
  'account.resumed',
  'account.deleted',
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'invitation.created',
  'invitation.accepted',
  'invitation.withdrawn',
] as const;
export type AdminAction = (typeof ADMIN_ACTIONS)[number];

const AuditChange = Closed(
  {
    before: Type.Unknown({ description: 'Value before the action; null if there was none.' }),
    after: Type.Unknown({ description: 'Value after the action; null if there is none.' }),
  },
  'AuditChange',
  'A changed field. Secrets are never part of it.',
);

export const AuditLogEntry = Closed(
  {
    entryId: described(Uuid, 'Id of the entry.'),
    time: described(DateTime, 'When the action was done.'),
    administrator: Type.String({ description: 'Name of the admin token, or `invited user`.' }),
    action: Type.Enum([...ADMIN_ACTIONS], { description: 'What was done.' }),
    accountId: described(Uuid, 'The account.'),
    apiKeyPrefix: Nullable(Type.String(), 'The API key; null if the action is about the account itself.'),
    changes: Type.Record(Type.String(), AuditChange, { description: 'Changed fields by name.' }),
    sourceAddress: Type.String({ description: 'IP address that the request came from.' }),
    requestId: described(Uuid, 'The `X-Request-Id` of the response, which is also in the logs.'),
  },
  'AuditLogEntry',
  'One action of an administrator or an invited user.',
);
export type AuditLogEntry = Static<typeof AuditLogEntry>;

/** Changed fields by name. */
export type AuditChanges = AuditLogEntry['changes'];
