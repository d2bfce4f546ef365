import { described } from '@calls/foundation/schema/annotations';
import { Uuid } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import {
  AccountStatusName,
  AdminAccount,
  AdminAccountRequest,
  AdminInvitation,
  InvitationRequest,
  KeyRotationRequest,
  PatchedAdminAccount,
  SuspensionRequest,
} from '../../rest/admin-account.ts';
import { ApiKey, ApiKeyCreate } from '../../rest/api-key.ts';
import { AuditLogEntry } from '../../rest/audit-log.ts';
import { UsageResponse } from '../../rest/usage.ts';
import { apiKey, createdApiKey } from '../examples/accounts.examples.ts';
import { adminAccount, adminInvitation, auditLogEntry } from '../examples/admin.examples.ts';
import { exampleIds, pageOf } from '../examples/example-values.ts';
import { defineList, defineOperation, type AnyOperation } from '../operation.ts';
import { BilledDays, getBillingUsage } from '../usage.operations.ts';

const accounts = 'Accounts';
const keys = 'API keys';
const path = '/admin/api/accounts';
const accountPath = `${path}/{account_id}` as const;
const keysPath = `${accountPath}/api_keys` as const;

/** The operations of the admin API. They are not part of the accounts' API and its description. */
export const listAccounts = defineList({
  id: 'listAccounts',
  path,
  tag: accounts,
  summary: 'List accounts',
  description: 'Returns the accounts of this installation, newest first.',
  example: { query: { status: 'active' }, response: pageOf(adminAccount) },
  filters: {
    status: Type.Optional(AccountStatusName),
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Part of the name; not case-sensitive.' }),
    ),
  },
  item: AdminAccount,
  itemName: 'AdminAccount',
});

export const createAccount = defineOperation({
  id: 'createAccount',
  method: 'POST',
  path,
  tag: accounts,
  summary: 'Create an account',
  description: 'Creates an account without API keys.',
  example: {
    body: { name: 'Seaview Hotels', plan: 'PRO', features: ['sip'], limits: { concurrentCalls: 50 } },
    response: adminAccount,
  },
  body: AdminAccountRequest,
  status: 201,
  response: AdminAccount,
});

export const getAccount = defineOperation({
  id: 'getAccount',
  method: 'GET',
  path: accountPath,
  tag: accounts,
  summary: 'Get an account',
  description: 'Returns an account with its plan, features, limits and state.',
  example: { response: adminAccount },
  status: 200,
  response: AdminAccount,
});

export const updateAccount = defineOperation({
  id: 'updateAccount',
  method: 'PATCH',
  path: accountPath,
  tag: accounts,
  summary: 'Change an account',
  description:
    'Changes the given fields. `features` and `limits` are replaced as a whole. Applies to new requests and calls within five seconds. Fails with 409 for a deleted account.',
  example: { body: { plan: 'PRO', limits: { concurrentCalls: 50 } }, response: adminAccount },
  body: PatchedAdminAccount,
  status: 200,
  response: AdminAccount,
  errorStatuses: [409],
});

export const suspendAccount = defineOperation({
  id: 'suspendAccount',
  method: 'POST',
  path: `${accountPath}/suspend`,
  tag: accounts,
  summary: 'Suspend an account',
  description:
    'Within five seconds, new calls and test runs fail with 403 and the code `account_suspended`, waiting test runs end with errors, and scheduled batches wait. Live calls continue, and API keys can still read and change data. Fails with 409 for a deleted account.',
  example: {
    body: { reason: 'The invoice of February is unpaid.' },
    response: {
      ...adminAccount,
      status: 'suspended',
      suspended: '2026-03-05T09:00:00.000Z',
      suspensionReason: 'The invoice of February is unpaid.',
    },
  },
  body: SuspensionRequest,
  status: 200,
  response: AdminAccount,
  errorStatuses: [409],
});

export const resumeAccount = defineOperation({
  id: 'resumeAccount',
  method: 'POST',
  path: `${accountPath}/resume`,
  tag: accounts,
  summary: 'Resume an account',
  description: 'Ends a suspension. Fails with 409 for a deleted account.',
  example: { response: adminAccount },
  status: 200,
  response: AdminAccount,
  errorStatuses: [409],
});

export const deleteAccount = defineOperation({
  id: 'deleteAccount',
  method: 'DELETE',
  path: accountPath,
  tag: accounts,
  summary: 'Delete an account',
  description:
    'Deletes the API keys, tools, webhooks and provider credentials of an account now, and its calls within minutes. Its record, the billing records of its calls, and its agents and corpora remain. Fails with 409 while it has live calls.',
  example: {},
  status: 204,
  errorStatuses: [409],
});

export const inviteUser = defineOperation({
  id: 'inviteUser',
  method: 'POST',
  path: `${accountPath}/invitation`,
  tag: accounts,
  summary: 'Invite the first user',
  description:
    'Returns a link to the console. The first person to open it gets an API key and is signed in. Only this response contains the link; a hash of its token is stored. Replaces an earlier invitation of the account. Fails with 409 for a deleted account.',
  example: { body: { expiresInSeconds: 86_400 }, response: adminInvitation },
  body: InvitationRequest,
  status: 201,
  response: AdminInvitation,
  errorStatuses: [409],
});

export const withdrawInvitation = defineOperation({
  id: 'withdrawInvitation',
  method: 'DELETE',
  path: `${accountPath}/invitation`,
  tag: accounts,
  summary: 'Withdraw the invitation',
  description:
    'Ends the open invitation of an account. Its link stops working. Fails with 404 if there is no open invitation, for example because it was accepted, and with 409 for a deleted account.',
  example: {},
  status: 204,
  errorStatuses: [409],
});

export const listApiKeys = defineList({
  id: 'listApiKeys',
  path: keysPath,
  tag: keys,
  summary: 'List API keys',
  description: 'Returns the API keys of an account, newest first, without their secrets.',
  example: { response: pageOf(apiKey) },
  item: ApiKey.Response,
  itemName: 'APIKey',
});

export const createApiKey = defineOperation({
  id: 'createApiKey',
  method: 'POST',
  path: keysPath,
  tag: keys,
  summary: 'Create an API key',
  description:
    'Creates an API key of an account. Only this response contains the whole key. Fails with 409 for a deleted account.',
  example: { body: { name: 'production' }, response: createdApiKey },
  body: ApiKeyCreate.Request,
  status: 201,
  response: ApiKeyCreate.Response,
  errorStatuses: [409],
});

export const rotateApiKey = defineOperation({
  id: 'rotateApiKey',
  method: 'POST',
  path: `${keysPath}/{api_key_prefix}/rotate`,
  tag: keys,
  summary: 'Rotate an API key',
  description:
    'Creates a key with the same name and expiry, and ends the old one after `graceSeconds`. Only this response contains the whole new key. Fails with 409 if the old key is revoked or expired.',
  example: { body: { graceSeconds: 3600 }, response: createdApiKey },
  body: KeyRotationRequest,
  status: 201,
  response: ApiKeyCreate.Response,
  errorStatuses: [409],
});

export const revokeApiKey = defineOperation({
  id: 'revokeApiKey',
  method: 'POST',
  path: `${keysPath}/{api_key_prefix}/revoke`,
  tag: keys,
  summary: 'Revoke an API key',
  description: 'Revokes an API key permanently. It stops working within five seconds.',
  example: { response: { ...apiKey, revoked: true } },
  status: 200,
  response: ApiKey.Response,
});

export const getUsage = defineOperation({
  id: 'getUsage',
  method: 'GET',
  path: `${accountPath}/usage`,
  tag: accounts,
  summary: 'Get billed minutes',
  description: 'Returns the billed minutes of an account by day. Days count in UTC.',
  example: getBillingUsage.example,
  query: BilledDays,
  status: 200,
  response: UsageResponse,
});

export const listAuditLog = defineList({
  id: 'listAuditLog',
  path: '/admin/api/audit_log',
  tag: 'Audit log',
  summary: 'List the audit log',
  description:
    'Returns what administrators did, newest first. The log has no secrets. Entries are deleted after `AUDIT_LOG_RETENTION_DAYS`.',
  example: { query: { accountId: exampleIds.account }, response: pageOf(auditLogEntry) },
  filters: { accountId: Type.Optional(described(Uuid, 'Only entries about this account.')) },
  item: AuditLogEntry,
  itemName: 'AuditLogEntry',
});

export const adminOperations: readonly AnyOperation[] = [
  listAccounts,
  createAccount,
  getAccount,
  updateAccount,
  suspendAccount,
  resumeAccount,
  deleteAccount,
  inviteUser,
  withdrawInvitation,
  listApiKeys,
  createApiKey,
  rotateApiKey,
  revokeApiKey,
  getUsage,
  listAuditLog,
];
