import { toError } from '@calls/foundation/errors';
import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import type { Schema } from './schema/index.ts';

/**
 * Brings the database to the newest schema and names what was applied. All of it in one transaction under an advisory
 * lock: several processes may do this at once; whoever comes second applies nothing. `upTo`: no further than this one.
 */
export async function migrate(db: Kysely<Schema>, upTo?: string): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const { error, results } =
    upTo === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(upTo);
  if (error !== undefined) throw toError(error);
  return (results ?? []).map((result) => result.migrationName);
}

/** Throws where the database hasn't got every migration of this version. */
export async function assertMigrated(db: Kysely<Schema>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const pending = (await migrator.getMigrations()).filter((migration) => !migration.executedAt);
  if (pending.length === 0) return;
  throw new Error(`the database lacks the migrations ${pending.map((each) => each.name).join(', ')}`);
}
