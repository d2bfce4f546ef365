import { databaseUrls } from '@calls/foundation/database-urls';
import type { Logger } from '@calls/foundation/logger';
import { DEFAULT_QUERY_LIMIT_MS } from '@calls/foundation/shared-variables';
import { Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely';
import { TypeOverrides, types } from 'pg';
import { PrimaryPool } from './primary-pool.ts';
import type { Schema } from './schema/index.ts';
import { isServerLost, StoreUnavailableError } from './store-error.ts';

export type Database = Kysely<Schema>;

export interface Store extends AsyncDisposable {
  readonly db: Database;
  /** Resolves if the database responds and accepts writes. */
  ping(): Promise<void>;
}

export interface StoreOptions {
  url: string;
  name: string;
  poolSize: number;
  log: Logger;
  /** Limit of a query. Defaults to DEFAULT_QUERY_LIMIT_MS. */
  queryLimitMs?: number | undefined;
  /** Limit of the wait for a connection. Defaults to `queryLimitMs`. */
  connectLimitMs?: number;
}

/** Limits of processes that change whole tables. */
export const SET_UP_LIMITS = { queryLimitMs: 3_600_000, connectLimitMs: DEFAULT_QUERY_LIMIT_MS } as const;

/** Time for the server to report that the limit has passed. */
const RESPONSE_MARGIN_MS = 500;

/**
 * Takes no lock of the session for migrations, because pgbouncer in transaction mode gives each transaction another
 * session. `migrate` holds a lock of its transaction.
 */
class StoreAdapter extends PostgresAdapter {
  override acquireMigrationLock(): Promise<void> {
    return Promise.resolve();
  }

  override releaseMigrationLock(): Promise<void> {
    return Promise.resolve();
  }
}

class StoreDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new StoreAdapter();
  }
}

/** A connection pool. Connections open on demand. A query settles within its limit after the wait for a connection. */
export function openStore(options: StoreOptions): Store {
  const { queryLimitMs = DEFAULT_QUERY_LIMIT_MS, connectLimitMs = queryLimitMs } = options;
  const typeParsers = new TypeOverrides();
  // Counts are exact below 2^53.
  typeParsers.setTypeParser(types.builtins.INT8, Number);
  const [first = options.url, ...others] = databaseUrls(options.url);
  const pool = new PrimaryPool(
    [first, ...others],
    {
      application_name: options.name,
      max: options.poolSize,
      connectionTimeoutMillis: connectLimitMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      statement_timeout: queryLimitMs,
      query_timeout: queryLimitMs + RESPONSE_MARGIN_MS,
      idle_in_transaction_session_timeout: 10_000,
      types: typeParsers,
    },
    options.log,
  );
  const db = new Kysely<Schema>({
    dialect: new StoreDialect({ pool }),
    log: (event) => {
      if (event.level === 'error' && isServerLost(event.error)) pool.renew();
    },
  });
  return {
    db,
    async ping() {
      const { rows } = await sql<{ transaction_read_only: string }>`show transaction_read_only`.execute(db);
      if (rows[0]?.transaction_read_only === 'off') return;
      pool.renew();
      throw new StoreUnavailableError(new Error('the server does not accept writes'));
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
