import type { Logger } from '@calls/foundation/logger';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, TypeOverrides, types } from 'pg';
import type { Schema } from './schema/index.ts';

export type Database = Kysely<Schema>;

export interface Store extends AsyncDisposable {
  readonly db: Database;
  /** Resolves if the database responds. */
  ping(): Promise<void>;
}

export interface StoreOptions {
  url: string;
  name: string;
  poolSize: number;
  log: Logger;
  /** Limit of a query, and of the wait for a connection before it. Default: 5 s. */
  queryLimitMs?: number;
}

/** A connection pool. Connections open on demand. Every query settles within its time limit. */
export function openStore(options: StoreOptions): Store {
  const { queryLimitMs = 5000 } = options;
  const typeParsers = new TypeOverrides();
  // Counts are exact below 2^53.
  typeParsers.setTypeParser(types.builtins.INT8, Number);
  const pool = new Pool({
    connectionString: options.url,
    application_name: options.name,
    max: options.poolSize,
    connectionTimeoutMillis: queryLimitMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    statement_timeout: queryLimitMs,
    query_timeout: queryLimitMs + 1000,
    idle_in_transaction_session_timeout: 10_000,
    types: typeParsers,
  });
  pool.on('error', (err) => options.log.warn({ err }, 'idle database connection lost'));
  // A connection that is checked out but idle: its next query rejects.
  pool.on('connect', (client) => {
    client.on('error', (err) => options.log.debug({ err }, 'database connection lost'));
  });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    async ping() {
      await sql`select 1`.execute(db);
    },
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}

/** Runs `work` in a transaction; at most one process at a time per `name`. */
export function withSetUpLock<T>(db: Database, name: string, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
    return work(tx);
  });
}
