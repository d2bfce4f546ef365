import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { InvitationLifetime, KeyName, KeyRole } from './api-key.ts';

/** Maximum number of open invitations of an account. */
export const MAX_INVITATIONS = 50;

const shown = {
  invitationId: described(Uuid, 'Id of the invitation.'),
  name: KeyName,
  role: described(KeyRole, 'What the invited person may do.'),
  created: described(DateTime, 'When the invitation was created.'),
  creator: Nullable(Type.String(), 'Prefix of the key that invites; null when the operator invites.'),
  expires: described(DateTime, 'When the link stops working.'),
};

export const Invitation = Closed(shown, 'Invitation', 'An invitation that is not accepted yet.');
export type Invitation = Static<typeof Invitation>;

export const CreateInvitation = Closed(
  {
    name: KeyName,
    role: Type.Optional(described(KeyRole, 'What the person may do. Defaults to `member`.')),
    expiresInSeconds: Type.Optional(InvitationLifetime),
  },
  'CreateInvitation',
  'A person to invite.',
);
export type CreateInvitation = Static<typeof CreateInvitation>;

export const CreatedInvitation = Closed(
  {
    ...shown,
    url: Type.String({
      description: 'Link to the console for the person, with a token. No other response contains it.',
    }),
  },
  'CreatedInvitation',
  'A new invitation.',
);
export type CreatedInvitation = Static<typeof CreatedInvitation>;
