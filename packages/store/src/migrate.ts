import { toError } from '@calls/foundation/errors';
import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import type { Schema } from './schema/index.ts';

/**
 * Migrates the database to the newest schema and returns the names of the applied migrations. Runs in one
 * transaction under an advisory lock, so several processes may call it at the same time. `upTo` is the last
 * migration to apply.
 */
export async function migrate(db: Kysely<Schema>, upTo?: string): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error, results } =
    upTo === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(upTo);
  if (error !== undefined) throw toError(error);
  return (results ?? []).map((result) => result.migrationName);
}

/** Throws if the database lacks a migration of this version. */
export async function assertMigrated(db: Kysely<Schema>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const pending = (await migrator.getMigrations()).filter((migration) => !migration.executedAt);
  if (pending.length === 0) return;
  throw new Error(`the database lacks the migrations ${pending.map((each) => each.name).join(', ')}`);
}
