import { toError } from '@calls/foundation/errors';
import { sql, type Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import type { Schema } from './schema/index.ts';

/** The lock of Kysely's migrator, which earlier releases hold for their session. */
const LOCK_ID = BigInt('3853314791062309107');

/** How long a migration waits for a lock on a table. Queries of the services wait behind it. */
const TABLE_LOCK_LIMIT = '4s';

/**
 * Migrates the database to the newest schema and returns the names of the applied migrations. Runs in one
 * transaction under an advisory lock, so several processes may call it at the same time. `upTo` is the last
 * migration to apply. Statements take as long as large tables need; the limits of the role do not apply.
 */
export function migrate(db: Kysely<Schema>, upTo?: string): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK_ID)})`.execute(tx);
    await sql`set local lock_timeout = ${sql.lit(TABLE_LOCK_LIMIT)}`.execute(tx);
    const migrator = new Migrator({ db: tx, provider: { getMigrations: () => Promise.resolve(migrations) } });
    const { error, results } =
      upTo === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(upTo);
    if (error !== undefined) throw toError(error);
    return (results ?? []).map((result) => result.migrationName);
  });
}

/** Throws if the database lacks a migration of this version. */
export async function assertMigrated(db: Kysely<Schema>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const pending = (await migrator.getMigrations()).filter((migration) => !migration.executedAt);
  if (pending.length === 0) return;
  const names = pending.map((each) => each.name).join(', ');
  throw new Error(`the database lacks the migrations ${names}; run prepare-database of this release`);
}
