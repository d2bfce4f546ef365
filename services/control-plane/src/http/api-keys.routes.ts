import {
  createApiKey,
  deleteApiKey as deleteOperation,
  getApiKey,
  listApiKeys,
  replaceApiKey,
  updateApiKey,
} from '@calls/api-contract/operations/api-keys.operations';
import type { ApiKey, KeyRole } from '@calls/api-contract/rest/api-key';
import type { Clock } from '@calls/foundation/clock';
import type { Database } from '@calls/store/store';
import {
  apiKeysOf,
  deleteApiKey,
  findApiKey,
  lockAdministratorKeys,
  revokeApiKey,
  changeApiKey,
  type ApiKeyRow,
  type KeyHolder,
} from '@calls/store/tables/api-keys';
import { apiKeyView, expiryOf, issueApiKey } from '../accounts/issue-api-key.ts';
import type { KeyAuthenticator } from '../auth/key-authenticator.ts';
import { HttpProblem, orNotFound } from '../problems/problem.ts';
import type { ApiRouter } from './api-router.ts';

interface Change {
  name?: string;
  role?: KeyRole;
  revoked?: boolean;
}

export interface ApiKeyRoutesDeps {
  db: Database;
  authenticator: KeyAuthenticator;
  clock: Clock;
}

export function apiKeyRoutes(api: ApiRouter, { db, authenticator, clock }: ApiKeyRoutesDeps): void {
  const now = (): Date => new Date(clock.wallMs());
  const find = async (accountId: string, prefix: string): Promise<ApiKeyRow> =>
    orNotFound('API key', await findApiKey(db, accountId, prefix));
  const change = async (holder: KeyHolder, prefix: string, to: Change): Promise<ApiKey> => {
    const { accountId } = holder;
    const { revoked, ...shown } = to;
    const changed = await db.transaction().execute(async (tx) => {
      if (revoked === true || (to.role ?? 'administrator') !== 'administrator')
        await requireOtherAdministrator(tx, accountId, prefix, now());
      let key = orNotFound('API key', await findApiKey(tx, accountId, prefix));
      const isRevoked = key.revoked_at !== null;
      if (to.role !== undefined && to.role !== key.role && prefix === holder.prefix)
        throw new HttpProblem(409, 'conflict', 'An API key cannot change its own role.');
      if (revoked === false && isRevoked)
        throw new HttpProblem(409, 'conflict', 'A revoked API key cannot be restored; create a new one.');
      if (Object.keys(shown).length > 0)
        key = orNotFound('API key', await changeApiKey(tx, accountId, prefix, shown));
      if (revoked !== true || isRevoked) return key;
      return orNotFound('API key', await revokeApiKey(tx, accountId, prefix, now()));
    });
    authenticator.forget(prefix);
    return apiKeyView(changed);
  };

  api
    .list(listApiKeys, ({ accountId }) => ({ source: apiKeysOf(db, accountId), item: apiKeyView }))
    .on(createApiKey, async ({ accountId, body, holder }) => {
      const { name, role } = body;
      const at = now();
      const key = { accountId, name, role, expiresAt: expiryOf(body, at), creator: holder.prefix };
      return issueApiKey(db, key, at);
    })
    .on(getApiKey, async ({ accountId, params }) => apiKeyView(await find(accountId, params.api_key_prefix)))
    .on(replaceApiKey, ({ holder, params, body }) => change(holder, params.api_key_prefix, body))
    .on(updateApiKey, ({ holder, params, body }) => change(holder, params.api_key_prefix, body))
    .on(deleteOperation, async ({ accountId, params }) => {
      const prefix = params.api_key_prefix;
      await db.transaction().execute(async (tx) => {
        await requireOtherAdministrator(tx, accountId, prefix, now());
        orNotFound('API key', await deleteApiKey(tx, accountId, prefix));
      });
      authenticator.forget(prefix);
    });
}

/** Throws if this is the only key with which the account can manage its keys. */
async function requireOtherAdministrator(
  tx: Database,
  accountId: string,
  prefix: string,
  now: Date,
): Promise<void> {
  const [first, ...others] = await lockAdministratorKeys(tx, accountId, now);
  if (first !== prefix || others.length > 0) return;
  throw new HttpProblem(
    409,
    'last_administrator',
    'This is the last administrator key of the account. Create another administrator key first.',
  );
}
