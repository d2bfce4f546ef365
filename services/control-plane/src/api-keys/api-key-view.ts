import type { ApiKey } from '@calls/api-contract/rest/api-key';
import type { ApiKeyRow } from '@calls/store/tables/api-keys';

export function apiKeyView(row: ApiKeyRow): ApiKey {
  return {
    prefix: row.prefix,
    created: row.created_at.toISOString(),
    creator: row.creator,
    name: row.name,
    expiryDate: row.expires_at?.toISOString() ?? null,
    revoked: row.revoked_at !== null,
  };
}
