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
  const find = async (accountId: string, prefix: string): Promise<ApiKeyRow> =>
    orNotFound('API key', await findApiKey(db, accountId, prefix));
  const change = async (holder: KeyHolder, prefix: string, to: Change): Promise<ApiKey> => {
    const { accountId } = holder;
    const { revoked, ...shown } = to;
    let key = await find(accountId, prefix);
    const isRevoked = key.revoked_at !== null;
    if (to.role !== undefined && to.role !== key.role && prefix === holder.prefix)
      throw new HttpProblem(409, 'conflict', 'An API key cannot change its own role.');
    if (revoked === false && isRevoked)
      throw new HttpProblem(409, 'conflict', 'A revoked API key cannot be restored; create a new one.');
    if (Object.keys(shown).length > 0) {
      key = orNotFound('API key', await changeApiKey(db, accountId, prefix, shown));
      authenticator.forget(prefix);
    }
    if (revoked !== true || isRevoked) return apiKeyView(key);
    key = orNotFound('API key', await revokeApiKey(db, accountId, prefix, new Date(clock.wallMs())));
    authenticator.forget(prefix);
    return apiKeyView(key);
  };

  api
    .list(listApiKeys, ({ accountId }) => ({ source: apiKeysOf(db, accountId), item: apiKeyView }))
    .on(createApiKey, async ({ accountId, body, holder }) => {
      const now = new Date(clock.wallMs());
      const { name, role } = body;
      const key = { accountId, name, role, expiresAt: expiryOf(body, now), creator: holder.prefix };
      return issueApiKey(db, key, now);
    })
    .on(getApiKey, async ({ accountId, params }) => apiKeyView(await find(accountId, params.api_key_prefix)))
    .on(replaceApiKey, ({ holder, params, body }) => change(holder, params.api_key_prefix, body))
    .on(updateApiKey, ({ holder, params, body }) => change(holder, params.api_key_prefix, body))
    .on(deleteOperation, async ({ accountId, params }) => {
      orNotFound('API key', await deleteApiKey(db, accountId, params.api_key_prefix));
      authenticator.forget(params.api_key_prefix);
    });
}
