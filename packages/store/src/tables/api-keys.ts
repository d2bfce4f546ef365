import type { Feature, Plan } from '../schema/account.ts';
import type { Database } from '../store.ts';

export interface NewApiKey {
  keyId: string;
  accountId: string;
  name: string;
  prefix: string;
  hash: Buffer;
  createdAt: Date;
  expiresAt: Date | null;
}

/** A key that may be used, with what its account may do. */
export interface KeyHolder {
  keyId: string;
  hash: Buffer;
  expiresAt: Date | null;
  accountId: string;
  plan: Plan;
  features: Feature[];
}

export async function insertApiKey(db: Database, key: NewApiKey): Promise<void> {
  await db
    .insertInto('api_keys')
    .values({
      key_id: key.keyId,
      account_id: key.accountId,
      name: key.name,
      prefix: key.prefix,
      hash: key.hash,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      revoked_at: null,
    })
    .execute();
}

/** The key with this prefix unless it was revoked; whether it expired is for the caller's clock to say. */
export async function findKeyHolder(db: Database, prefix: string): Promise<KeyHolder | null> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.account_id', 'api_keys.account_id')
    .select(['key_id', 'hash', 'expires_at', 'accounts.account_id', 'plan', 'features'])
    .where('prefix', '=', prefix)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (!row) return null;
  return {
    keyId: row.key_id,
    hash: row.hash,
    expiresAt: row.expires_at,
    accountId: row.account_id,
    plan: row.plan,
    features: row.features,
  };
}

export async function revokeApiKey(db: Database, keyId: string, at: Date): Promise<void> {
  await db.updateTable('api_keys').set({ revoked_at: at }).where('key_id', '=', keyId).execute();
}
