import type { AccountTtsKeys } from '@calls/api-contract/rest/tts-keys';
import type { Selectable } from 'kysely';
import type { TtsApiKeyTable } from '../schema/voice-tables.ts';
import type { Database } from '../store.ts';

export type ProviderKeyRow = Pick<Selectable<TtsApiKeyTable>, 'provider' | 'prefix' | 'sealed_key'>;

/** Sets keys, and deletes those of the providers in `deleted`. */
export interface ProviderKeyChanges {
  set: readonly ProviderKeyRow[];
  deleted: readonly (keyof AccountTtsKeys)[];
}

export function providerKeysOf(db: Database, accountId: string): Promise<ProviderKeyRow[]> {
  return db
    .selectFrom('tts_api_keys')
    .select(['provider', 'prefix', 'sealed_key'])
    .where('account_id', '=', accountId)
    .orderBy('provider')
    .execute();
}

/** The sealed key of the account at the provider. */
export async function findProviderKey(
  db: Database,
  accountId: string,
  provider: keyof AccountTtsKeys,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('tts_api_keys')
    .select('sealed_key')
    .where('account_id', '=', accountId)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return row?.sealed_key;
}

/** Applies all changes or none. `set` must have each provider once, always in the same order, to prevent deadlocks. */
export function changeProviderKeys(
  db: Database,
  accountId: string,
  { set, deleted }: ProviderKeyChanges,
  now: Date,
): Promise<ProviderKeyRow[]> {
  return db.transaction().execute(async (tx) => {
    if (deleted.length > 0) {
      await tx
        .deleteFrom('tts_api_keys')
        .where('account_id', '=', accountId)
        .where('provider', 'in', deleted)
        .execute();
    }
    if (set.length > 0) {
      await tx
        .insertInto('tts_api_keys')
        .values(set.map((key) => ({ ...key, account_id: accountId, set_at: now })))
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'provider']).doUpdateSet((eb) => ({
            prefix: eb.ref('excluded.prefix'),
            sealed_key: eb.ref('excluded.sealed_key'),
            set_at: eb.ref('excluded.set_at'),
          })),
        )
        .execute();
    }
    return providerKeysOf(tx, accountId);
  });
}
