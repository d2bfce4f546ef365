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
import { newId } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import {
  apiKeysOf,
  deleteApiKey,
  findApiKey,
  insertApiKey,
  revokeApiKey,
  type ApiKeyRow,
} from '@calls/store/tables/api-keys';
import { generateApiKey, hashOf, prefixOf } from '../auth/api-key.ts';
import type { KeyAuthenticator } from '../auth/key-authenticator.ts';
import { HttpProblem, invalidRequest, orNotFound } from '../problems/problem.ts';
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
      const expiresAt = body.expiryDate == null ? null : new Date(body.expiryDate);
      if (expiresAt && expiresAt <= now) {
        throw invalidRequest('request body', [{ path: 'expiryDate', message: 'must be in the future' }]);
      }
      const key = generateApiKey();
      const row = await insertApiKey(db, {
        keyId: newId(),
        accountId,
        name: body.name,
        prefix: prefixOf(key),
        hash: hashOf(key),
        createdAt: now,
        expiresAt,
        creator: holder.prefix,
      });
      return { ...apiKeyView(row), revoked: false, secret: key };
    })
    .on(getApiKey, async ({ accountId, params }) => apiKeyView(await find(accountId, params.api_key_prefix)))
    .on(replaceApiKey, ({ accountId, params, body }) => change(accountId, params.api_key_prefix, body))
    .on(updateApiKey, ({ accountId, params, body }) => change(accountId, params.api_key_prefix, body))
    .on(deleteOperation, async ({ accountId, params }) => {
      orNotFound('API key', await deleteApiKey(db, accountId, params.api_key_prefix));
      authenticator.forget(params.api_key_prefix);
    });
}

function apiKeyView(row: ApiKeyRow): ApiKey {
  return {
    prefix: row.prefix,
    created: row.created_at.toISOString(),
    creator: row.creator,
    name: row.name,
    expiryDate: row.expires_at?.toISOString() ?? null,
    revoked: row.revoked_at !== null,
  };
}
