import { isDeepStrictEqual } from 'node:util';
import type {
  AdminAccountRequest,
  AdminInvitation,
  PatchedAdminAccount,
} from '@calls/api-contract/rest/admin-account';
import type { ApiKeyCreate } from '@calls/api-contract/rest/api-key';
import type { AdminAction, AuditChanges } from '@calls/api-contract/rest/audit-log';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import {
  changeAccount,
  insertAccount,
  lockWholeAccount,
  type AccountChange,
  type AccountRow,
} from '@calls/store/tables/accounts';
import { expireApiKey, findApiKey, revokeApiKey, type ApiKeyRow } from '@calls/store/tables/api-keys';
import { deleteOperatorInvitation } from '@calls/store/tables/account-invitations';
import { deleteCredentials } from '@calls/store/tables/deleted-accounts';
import { insertAuditLogEntry } from '@calls/store/tables/audit-log';
import { createInvitation, type InvitationSettings } from '../accounts/invitations.ts';
import { issueApiKey, type ApiKeyToIssue } from '../accounts/issue-api-key.ts';
import type { KeyAuthenticator } from '../auth/key-authenticator.ts';
import { HttpProblem, orNotFound } from '../problems/problem.ts';

/** The administrator who performs an action, for the audit log. */
export interface Administrator {
  name: string;
  sourceAddress: string;
  requestId: string;
}

export interface AdminAccountsDeps {
  db: Database;
  clock: Clock;
  authenticator: Pick<KeyAuthenticator, 'forgetAccount'>;
  /** Public URL of the console. */
  consoleUrl: string;
}

interface LoggedAction {
  action: AdminAction;
  accountId: string;
  apiKeyPrefix?: string;
  changes: AuditChanges;
}

/** The actions of administrators on accounts. Each action and its entry in the audit log are one transaction. */
export class AdminAccounts {
  readonly #deps: AdminAccountsDeps;

  constructor(deps: AdminAccountsDeps) {
    this.#deps = deps;
  }

  /** Returns the id of the account. */
  create(by: Administrator, request: AdminAccountRequest): Promise<string> {
    const accountId = newId();
    const account = { ...request, plan: request.plan ?? 'FREE', features: request.features ?? [] };
    return this.#deps.db.transaction().execute(async (tx) => {
      await insertAccount(tx, { ...account, accountId, createdAt: this.#now() });
      const changes = changesBetween({}, account);
      await this.#log(tx, by, { action: 'account.created', accountId, changes });
      return accountId;
    });
  }

  update(by: Administrator, accountId: string, request: PatchedAdminAccount): Promise<void> {
    return this.#change(by, 'account.updated', accountId, () => request);
  }

  suspend(by: Administrator, accountId: string, reason: string): Promise<void> {
    return this.#change(by, 'account.suspended', accountId, (account) => ({
      suspension: { at: account.suspended_at ?? this.#now(), reason },
    }));
  }

  resume(by: Administrator, accountId: string): Promise<void> {
    return this.#change(by, 'account.resumed', accountId, () => ({ suspension: null }));
  }

  /** Throws 409 while the account has live calls. The dispatcher deletes its calls. */
  async delete(by: Administrator, accountId: string): Promise<void> {
    await this.#withAccount(accountId, async (tx, account) => {
      if (account.active_calls > 0) {
        const detail = 'The account has live calls; suspend it and wait for their end, or end them.';
        throw new HttpProblem(409, 'account_live', detail);
      }
      await changeAccount(tx, accountId, { deletedAt: this.#now() });
      await deleteCredentials(tx, accountId);
      const changes = changesBetween({ deleted: false }, { deleted: true });
      await this.#log(tx, by, { action: 'account.deleted', accountId, changes });
    });
  }

  /** Replaces an earlier invitation. */
  invite(by: Administrator, accountId: string, settings: InvitationSettings): Promise<AdminInvitation> {
    return this.#withAccount(accountId, async (tx) => {
      const place = { now: this.#now(), consoleUrl: this.#deps.consoleUrl };
      const { row, url } = await createInvitation(tx, accountId, settings, place);
      const created = { url, keyName: row.key_name, expires: row.expires_at.toISOString() };
      const changes = changesBetween({}, { keyName: created.keyName, expires: created.expires });
      await this.#log(tx, by, { action: 'invitation.created', accountId, changes });
      return created;
    });
  }

  withdrawInvitation(by: Administrator, accountId: string): Promise<void> {
    return this.#withAccount(accountId, async (tx) => {
      const keyName = orNotFound('Invitation', await deleteOperatorInvitation(tx, accountId));
      const changes = changesBetween({ keyName }, {});
      await this.#log(tx, by, { action: 'invitation.withdrawn', accountId, changes });
    });
  }

  createKey(
    by: Administrator,
    accountId: string,
    key: Omit<ApiKeyToIssue, 'accountId'>,
  ): Promise<ApiKeyCreate> {
    return this.#withAccount(accountId, async (tx) => {
      const created = await issueApiKey(tx, { ...key, accountId }, this.#now());
      const { prefix: apiKeyPrefix, name, role, expiryDate } = created;
      const changes = changesBetween({}, { name, role, expiryDate });
      await this.#log(tx, by, { action: 'api_key.created', accountId, apiKeyPrefix, changes });
      return created;
    });
  }

  /** Creates a key like the old one, which ends `graceSeconds` later. */
  rotateKey(
    by: Administrator,
    { accountId, prefix, graceSeconds }: { accountId: string; prefix: string; graceSeconds: number },
  ): Promise<ApiKeyCreate> {
    return this.#withAccount(accountId, async (tx) => {
      const old = orNotFound('API key', await findApiKey(tx, accountId, prefix));
      const now = this.#now();
      if (old.revoked_at || (old.expires_at && old.expires_at <= now)) {
        throw new HttpProblem(409, 'conflict', 'The API key is revoked or expired; create a new one.');
      }
      const { name, role, expires_at: expiresAt } = old;
      const created = await issueApiKey(tx, { accountId, name, role, expiresAt }, now);
      const endsAt = new Date(now.getTime() + graceSeconds * 1000);
      if (graceSeconds === 0) await revokeApiKey(tx, accountId, prefix, now);
      else if (!old.expires_at || endsAt < old.expires_at) await expireApiKey(tx, accountId, prefix, endsAt);
      const changes = changesBetween(
        { prefix },
        { prefix: created.prefix, oldKeyEnds: endsAt.toISOString() },
      );
      await this.#log(tx, by, { action: 'api_key.rotated', accountId, apiKeyPrefix: prefix, changes });
      return created;
    });
  }

  revokeKey(by: Administrator, accountId: string, prefix: string): Promise<ApiKeyRow> {
    return this.#withAccount(accountId, async (tx) => {
      const old = orNotFound('API key', await findApiKey(tx, accountId, prefix));
      if (old.revoked_at) return old;
      const revoked = orNotFound('API key', await revokeApiKey(tx, accountId, prefix, this.#now()));
      const changes = changesBetween({ revoked: false }, { revoked: true });
      await this.#log(tx, by, { action: 'api_key.revoked', accountId, apiKeyPrefix: prefix, changes });
      return revoked;
    });
  }

  #change(
    by: Administrator,
    action: AdminAction,
    accountId: string,
    changeOf: (account: AccountRow) => AccountChange,
  ): Promise<void> {
    return this.#withAccount(accountId, async (tx, account) => {
      const change = changeOf(account);
      const changes = changesBetween(loggedFields(account), afterChange(account, change));
      if (Object.keys(changes).length === 0) return;
      await changeAccount(tx, accountId, change);
      await this.#log(tx, by, { action, accountId, changes });
    });
  }

  /** Throws 404 if there is no such account, and 409 if it is deleted. */
  async #withAccount<T>(
    accountId: string,
    work: (tx: Database, account: AccountRow) => Promise<T>,
  ): Promise<T> {
    const result = await this.#deps.db.transaction().execute(async (tx) => {
      const account = orNotFound('account', await lockWholeAccount(tx, accountId));
      if (account.deleted_at) throw new HttpProblem(409, 'account_deleted', 'The account is deleted.');
      return work(tx, account);
    });
    this.#deps.authenticator.forgetAccount(accountId);
    return result;
  }

  #log(tx: Database, by: Administrator, { apiKeyPrefix, ...action }: LoggedAction): Promise<void> {
    const { name: administrator, sourceAddress, requestId } = by;
    const entry = { entryId: newId(), at: this.#now(), administrator, sourceAddress, requestId };
    return insertAuditLogEntry(tx, { ...entry, ...action, apiKeyPrefix: apiKeyPrefix ?? null });
  }

  #now(): Date {
    return new Date(this.#deps.clock.wallMs());
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an account that administrators change, by their names in the API. */
function loggedFields(account: AccountRow): Fields {
  return {
    name: account.name,
    plan: account.plan,
    features: account.features,
    limits: account.limits,
    billingEmail: account.billing_email,
    paymentMethod: account.payment_method,
    suspended: account.suspended_at !== null,
    suspensionReason: account.suspension_reason,
  };
}

function afterChange(account: AccountRow, { suspension, ...fields }: AccountChange): Fields {
  return {
    ...loggedFields(account),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    ...(suspension !== undefined && {
      suspended: suspension !== null,
      suspensionReason: suspension?.reason ?? null,
    }),
  };
}

/** Fields whose values differ. */
function changesBetween(before: Fields, after: Fields): AuditChanges {
  const names = Object.keys({ ...before, ...after });
  const changed = names.filter((name) => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null));
  return Object.fromEntries(
    changed.map((name) => [name, { before: before[name] ?? null, after: after[name] ?? null }]),
  );
}
