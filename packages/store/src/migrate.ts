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
    await assertUsable(tx);
    const migrator = new Migrator({ db: tx, provider: { getMigrations: () => Promise.resolve(migrations) } });
    const { error, results } =
      upTo === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(upTo);
    if (error !== undefined) throw toError(error);
    return (results ?? []).map((result) => result.migrationName);
  });
}

/**
 * Throws if an empty database cannot be used. If the migrator cannot create its first table, it only reports that the
 * transaction is aborted.
 */
async function assertUsable(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{
    isEmpty: boolean;
    encoding: string;
    isReadOnly: boolean;
    role: string;
    schema: string | null;
    mayCreate: boolean | null;
  }>`select to_regclass('kysely_migration') is null as "isEmpty",
      current_setting('server_encoding') as "encoding",
      current_setting('transaction_read_only')::boolean as "isReadOnly",
      current_user as "role",
      current_schema() as "schema",
      has_schema_privilege(current_schema(), 'create') as "mayCreate"`.execute(db);
  const [found] = rows;
  if (!found?.isEmpty) return;
  const { encoding, isReadOnly, role, schema, mayCreate } = found;
  if (encoding !== 'UTF8')
    throw new Error(`the encoding of the database is ${encoding}; create it with UTF8`);
  if (isReadOnly) throw new Error('the database is read-only');
  if (schema === null) throw new Error(`no schema in the search_path of the role ${role} exists`);
  if (!mayCreate)
    throw new Error(
      `the role ${role} may not create tables; make it the owner of the database, or run as the owner: ` +
        `GRANT CREATE ON SCHEMA ${schema} TO ${role}`,
    );
}

/** Throws if the database lacks a migration of this version. */
export async function assertMigrated(db: Kysely<Schema>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  const pending = (await migrator.getMigrations()).filter((migration) => !migration.executedAt);
  if (pending.length === 0) return;
  const names = pending.map((each) => each.name).join(', ');
  throw new Error(`the database lacks the migrations ${names}; run prepare-database of this release`);
}
