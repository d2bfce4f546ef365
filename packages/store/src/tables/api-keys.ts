import type { KeyRole } from '@calls/api-contract/rest/api-key';
import type { Selectable } from 'kysely';
import type { ApiKeyTable } from '../schema/account-tables.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { Database } from '../store.ts';
import { TERM_COLUMNS, termsOf, type AccountTerms, type TermsRow } from './account-terms.ts';

const SHOWN = [
  'key_id',
  'prefix',
  'name',
  'created_at',
  'expires_at',
  'revoked_at',
  'creator',
  'role',
  'last_used_at',
] as const;

/** A key without its hash. */
export type ApiKeyRow = Pick<Selectable<ApiKeyTable>, (typeof SHOWN)[number]>;

export interface NewApiKey {
  keyId: string;
  accountId: string;
  name: string;
  prefix: string;
  hash: Buffer;
  createdAt: Date;
  expiresAt: Date | null;
  creator?: string;
  /** Defaults to administrator. */
  role?: KeyRole;
}

/** A usable key with its account's permissions. */
export interface KeyHolder extends AccountTerms {
  keyId: string;
  prefix: string;
  hash: Buffer;
  expiresAt: Date | null;
  accountId: string;
  role: KeyRole;
  /** Not exact: written at most once a minute. */
  lastUsedAt: Date | null;
}

/** Throws a unique violation if another key has the prefix. */
export function insertApiKey(db: Database, key: NewApiKey): Promise<ApiKeyRow> {
  return db
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
      creator: key.creator ?? null,
      role: key.role ?? 'administrator',
      last_used_at: null,
    })
    .returning(SHOWN)
    .executeTakeFirstOrThrow();
}

/** The keys with these prefixes that are not revoked. The caller checks expiry by its own clock. */
export async function findKeyHolders(db: Database, prefixes: readonly string[]): Promise<KeyHolder[]> {
  const rows = await db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.account_id', 'api_keys.account_id')
    .select(['key_id', 'prefix', 'hash', 'expires_at', 'role', 'last_used_at'])
    .select(['accounts.account_id', ...TERM_COLUMNS])
    .where('prefix', 'in', [...prefixes])
    .where('revoked_at', 'is', null)
    .where('accounts.deleted_at', 'is', null)
    .execute();
  return rows.map((row) => ({
    keyId: row.key_id,
    prefix: row.prefix,
    hash: row.hash,
    expiresAt: row.expires_at,
    accountId: row.account_id,
    role: row.role,
    lastUsedAt: row.last_used_at,
    ...termsOf(row),
  }));
}

/** Like findKeyHolders, for one prefix; null if there is none. */
export async function findKeyHolder(db: Database, prefix: string): Promise<KeyHolder | null> {
  const [holder = null] = await findKeyHolders(db, [prefix]);
  return holder;
}

/** The terms of the account of a live call; undefined if there is no such call. */
export function findTermsOfLiveCall(
  db: Database,
  { accountId, callId }: { accountId: string; callId: string },
): Promise<TermsRow | undefined> {
  return db
    .selectFrom('calls')
    .innerJoin('accounts', 'accounts.account_id', 'calls.account_id')
    .select(TERM_COLUMNS)
    .where('call_id', '=', callId)
    .where('calls.account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
}

function ofAccount(db: Database, accountId: string) {
  return db.selectFrom('api_keys').select(SHOWN).where('account_id', '=', accountId);
}

/** Newest first. */
export function apiKeysOf(db: Database, accountId: string): PageSource<ApiKeyRow> {
  return pagesOf(ofAccount(db, accountId), orderedBy('desc', 'created_at', 'key_id'));
}

export function findApiKey(db: Database, accountId: string, prefix: string): Promise<ApiKeyRow | undefined> {
  return ofAccount(db, accountId).where('prefix', '=', prefix).executeTakeFirst();
}

/** The prefixes of the keys that are neither revoked nor expired, of administrators. Locks them until the transaction ends. */
export async function lockAdministratorKeys(tx: Database, accountId: string, now: Date): Promise<string[]> {
  const rows = await tx
    .selectFrom('api_keys')
    .select('prefix')
    .where('account_id', '=', accountId)
    .where('role', '=', 'administrator')
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('key_id')
    .forUpdate()
    .execute();
  return rows.map(({ prefix }) => prefix);
}

/** Does not change the time of an earlier revocation. Undefined if there is no such key. */
export function revokeApiKey(
  db: Database,
  accountId: string,
  prefix: string,
  at: Date,
): Promise<ApiKeyRow | undefined> {
  return db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(at)) }))
    .where('account_id', '=', accountId)
    .where('prefix', '=', prefix)
    .returning(SHOWN)
    .executeTakeFirst();
}

/** Undefined if there is no such key. */
export function changeApiKey(
  db: Database,
  accountId: string,
  prefix: string,
  to: { name?: string; role?: KeyRole },
): Promise<ApiKeyRow | undefined> {
  return db
    .updateTable('api_keys')
    .set(to)
    .where('account_id', '=', accountId)
    .where('prefix', '=', prefix)
    .returning(SHOWN)
    .executeTakeFirst();
}

/** Several processes may do so at the same time: the latest time stays. */
export async function recordKeyUse(db: Database, keyId: string, at: Date): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: at })
    .where('key_id', '=', keyId)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
    .execute();
}

export async function expireApiKey(
  db: Database,
  accountId: string,
  prefix: string,
  expiresAt: Date,
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ expires_at: expiresAt })
    .where('account_id', '=', accountId)
    .where('prefix', '=', prefix)
    .execute();
}

export async function deleteApiKey(db: Database, accountId: string, prefix: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('api_keys')
    .where('account_id', '=', accountId)
    .where('prefix', '=', prefix)
    .returning('key_id')
    .executeTakeFirst();
  return deleted !== undefined;
}
