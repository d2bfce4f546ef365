import {
  createApiKey,
  deleteApiKey as deleteOperation,
  getApiKey,
  listApiKeys,
  replaceApiKey,
  updateApiKey,
} from '@calls/api-contract/operations/api-keys.operations';
import type { ApiKey } from '@calls/api-contract/rest/api-key';
import type { Clock } from '@calls/foundation/clock';
import type { Database } from '@calls/store/store';
import {
  apiKeysOf,
  deleteApiKey,
  findApiKey,
  revokeApiKey,
  type ApiKeyRow,
} from '@calls/store/tables/api-keys';
import { apiKeyView, expiryOf, issueApiKey } from '../accounts/issue-api-key.ts';
import type { KeyAuthenticator } from '../auth/key-authenticator.ts';
import { HttpProblem, orNotFound } from '../problems/problem.ts';
import type { ApiRouter } from './api-router.ts';

export interface ApiKeyRoutesDeps {
  db: Database;
  authenticator: KeyAuthenticator;
  clock: Clock;
}

export function apiKeyRoutes(api: ApiRouter, { db, authenticator, clock }: ApiKeyRoutesDeps): void {
  const find = async (accountId: string, prefix: string): Promise<ApiKeyRow> =>
    orNotFound('API key', await findApiKey(db, accountId, prefix));
  const change = async (accountId: string, prefix: string, to: { revoked?: boolean }): Promise<ApiKey> => {
    const key = await find(accountId, prefix);
    if (to.revoked === undefined || to.revoked === (key.revoked_at !== null)) return apiKeyView(key);
    if (!to.revoked)
      throw new HttpProblem(409, 'conflict', 'A revoked API key cannot be restored; create a new one.');
    const revoked = await revokeApiKey(db, accountId, prefix, new Date(clock.wallMs()));
    authenticator.forget(prefix);
    return apiKeyView(orNotFound('API key', revoked));
  };

  api
    .list(listApiKeys, ({ accountId }) => ({ source: apiKeysOf(db, accountId), item: apiKeyView }))
    .on(createApiKey, async ({ accountId, body, holder }) => {
      const now = new Date(clock.wallMs());
      const key = { accountId, name: body.name, expiresAt: expiryOf(body, now), creator: holder.prefix };
      return issueApiKey(db, key, now);
    })
    .on(getApiKey, async ({ accountId, params }) => apiKeyView(await find(accountId, params.api_key_prefix)))
    .on(replaceApiKey, ({ accountId, params, body }) => change(accountId, params.api_key_prefix, body))
    .on(updateApiKey, ({ accountId, params, body }) => change(accountId, params.api_key_prefix, body))
    .on(deleteOperation, async ({ accountId, params }) => {
      orNotFound('API key', await deleteApiKey(db, accountId, params.api_key_prefix));
      authenticator.forget(params.api_key_prefix);
    });
}
