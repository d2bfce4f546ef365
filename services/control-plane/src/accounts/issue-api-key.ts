import type { ApiKey, ApiKeyCreate, KeyRole } from '@calls/api-contract/rest/api-key';
import { newId } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import { insertApiKey, type ApiKeyRow } from '@calls/store/tables/api-keys';
import { generateApiKey, hashOf, prefixOf } from '../auth/api-key.ts';
import { invalidRequest } from '../problems/problem.ts';

export interface ApiKeyToIssue {
  accountId: string;
  name: string;
  expiresAt: Date | null;
  /** Prefix of the key that creates this one; absent if the operator does. */
  creator?: string;
  role?: KeyRole | undefined;
}

/** Stores a new key. Only the result contains the whole key. */
export async function issueApiKey(db: Database, key: ApiKeyToIssue, now: Date): Promise<ApiKeyCreate> {
  const secret = generateApiKey();
  const { role = 'administrator', ...given } = key;
  const row = await insertApiKey(db, {
    ...given,
    role,
    keyId: newId(),
    prefix: prefixOf(secret),
    hash: hashOf(secret),
    createdAt: now,
  });
  return { ...apiKeyView(row), revoked: false, secret };
}

/** The expiry that a request asks for. Throws if it is not in the future. */
export function expiryOf({ expiryDate }: { expiryDate?: string | null }, now: Date): Date | null {
  const expiresAt = expiryDate == null ? null : new Date(expiryDate);
  if (expiresAt && expiresAt <= now) {
    throw invalidRequest('request body', [{ path: 'expiryDate', message: 'must be in the future' }]);
  }
  return expiresAt;
}

export function apiKeyView(row: ApiKeyRow): ApiKey {
  return {
    prefix: row.prefix,
    created: row.created_at.toISOString(),
    creator: row.creator,
    lastUsed: row.last_used_at?.toISOString() ?? null,
    name: row.name,
    role: row.role,
    expiryDate: row.expires_at?.toISOString() ?? null,
    revoked: row.revoked_at !== null,
  };
}
