import { createHash } from 'node:crypto';
import type { Feature, Plan } from '@calls/api-contract/rest/account';
import { newId, randomAlphanumeric } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import { insertAccount } from '@calls/store/tables/accounts';
import { insertApiKey } from '@calls/store/tables/api-keys';

export interface NewAccount {
  accountId: string;
  keyId: string;
  key: string;
}

/** Inserts an account with its own key. */
export async function newAccount(
  db: Database,
  { plan, features = [], expiresAt = null }: { plan: Plan; features?: Feature[]; expiresAt?: Date | null },
): Promise<NewAccount> {
  const accountId = newId();
  const keyId = newId();
  const key = `${randomAlphanumeric(8)}.${randomAlphanumeric(32)}`;
  const createdAt = new Date();
  await insertAccount(db, { accountId, name: 'test', plan, features, createdAt });
  await insertApiKey(db, {
    keyId,
    accountId,
    name: 'test',
    prefix: key.slice(0, 8),
    hash: createHash('sha256').update(key).digest(),
    createdAt,
    expiresAt,
  });
  return { accountId, keyId, key };
}
