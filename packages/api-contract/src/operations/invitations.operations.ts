import { CreatedInvitation, CreateInvitation, Invitation } from '../rest/invitation.ts';
import { createdInvitation, invitation } from './examples/accounts.examples.ts';
import { pageOf } from './examples/example-values.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'API keys';

export const listInvitations = defineList({
  id: 'listInvitations',
  path: '/api/invitations',
  tag,
  summary: 'List invitations',
  description:
    'Returns the invitations of the account that are not accepted yet, newest first, without their links.',
  example: { response: pageOf(invitation) },
  item: Invitation,
  itemName: 'Invitation',
});

export const createInvitation = defineOperation({
  id: 'createInvitation',
  method: 'POST',
  path: '/api/invitations',
  tag,
  summary: 'Invite a person',
  description:
    'Creates a link to the console, which works once: the person who opens it gets an API key with this name and role. Fails with 409 while the account has 50 open invitations.',
  example: { body: { name: 'Bo', role: 'member' }, response: createdInvitation },
  byAdministrators: true,
  body: CreateInvitation,
  status: 201,
  response: CreatedInvitation,
  errorStatuses: [409],
});

export const deleteInvitation = defineOperation({
  id: 'deleteInvitation',
  method: 'DELETE',
  path: '/api/invitations/{invitation_id}',
  tag,
  summary: 'Withdraw an invitation',
  description: 'Withdraws an invitation. Its link stops working.',
  example: {},
  byAdministrators: true,
  status: 204,
});

export const invitationOperations = [listInvitations, createInvitation, deleteInvitation];
