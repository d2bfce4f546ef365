import { delay, systemClock, withTimeout } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { Client, DatabaseError, Pool, type ClientBase, type PoolClient, type PoolConfig } from 'pg';
import { prepareStatements } from './prepared-statement.ts';
import { StoreUnavailableError } from './store-error.ts';

/** Time limit of each step that checks whether a server accepts writes. */
const PROBE_LIMIT_MS = 2000;
/** Pause after a search that found no server. */
const SEARCH_PAUSE_MS = 200;
const RENEWAL_INTERVAL_MS = 1000;
/** How long a pool does not grow when the server has no connection left for it. */
const GROWTH_PAUSE_MS = 1000;
const TOO_MANY_CONNECTIONS = '53300';

interface PrimaryPoolOptions extends PoolConfig {
  max: number;
  /** Time limit for getting a connection, including the wait for a free one, the handshake and the first query. */
  connectionTimeoutMillis: number;
}

/**
 * Connections to the one of several PostgreSQL servers that accepts writes. If it can no longer be reached, or became a
 * standby, `connect` asks all of them and continues with the one that accepts writes now. A single server is not asked.
 */
export class PrimaryPool {
  readonly options: PrimaryPoolOptions;
  readonly #urls: readonly string[];
  readonly #log: Logger;
  #url: string;
  #pool: Pool;
  #renewedAtMs = -Infinity;
  /** When the pool may open further connections again, after the server had none left. */
  #growsFromMs = -Infinity;
  #search: Promise<boolean> | undefined;
  /** Pools whose last connections are being closed. */
  readonly #ending = new Set<Promise<void>>();

  constructor(urls: readonly [string, ...string[]], options: PrimaryPoolOptions, log: Logger) {
    this.#urls = urls;
    this.options = options;
    this.#log = log;
    this.#url = urls[0];
    this.#pool = this.#open();
  }

  /** Rejects with a StoreUnavailableError if no server accepts connections and writes. */
  async connect(): Promise<PoolClient> {
    const pool = this.#pool;
    try {
      return await this.#connectTo(pool);
    } catch (thrown) {
      const hasMoved = this.#urls.length > 1 && (pool !== this.#pool || (await this.#findPrimary()));
      if (!hasMoved) throw asUnavailable(thrown);
      return this.#connectTo(this.#pool);
    }
  }

  /** The pool's own limit does not include `verify`. A connection that is ready too late remains in the pool. */
  async #connectTo(pool: Pool): Promise<PoolClient> {
    const limitMs = this.options.connectionTimeoutMillis;
    const connected = this.#connectWhenFree(pool, systemClock.nowMs() + limitMs);
    try {
      return await withTimeout(systemClock, connected, limitMs, 'connecting to the database');
    } catch (thrown) {
      void connected.then(
        (client) => client.release(),
        () => undefined,
      );
      throw thrown;
    }
  }

  /** If the server accepts no more connections, waits for one that the pool has. */
  async #connectWhenFree(pool: Pool, deadlineMs: number): Promise<PoolClient> {
    for (;;) {
      if (systemClock.nowMs() >= this.#growsFromMs) pool.options.max = this.options.max;
      try {
        return await pool.connect();
      } catch (thrown) {
        const isFull = thrown instanceof DatabaseError && thrown.code === TOO_MANY_CONNECTIONS;
        if (!isFull || pool.totalCount === 0 || systemClock.nowMs() >= deadlineMs) throw thrown;
        this.#growsFromMs = systemClock.nowMs() + GROWTH_PAUSE_MS;
        pool.options.max = pool.totalCount;
      }
    }
  }

  /**
   * Opens new connections from now on, because the existing ones failed. Those in use are closed when they are
   * released. Does nothing for a while after a renewal, when earlier connections may still fail.
   */
  renew(): void {
    if (systemClock.nowMs() - this.#renewedAtMs >= RENEWAL_INTERVAL_MS) this.#renewNow();
  }

  #renewNow(): void {
    this.#renewedAtMs = systemClock.nowMs();
    const former = this.#pool;
    this.#pool = this.#open();
    const ended = former.end().catch((thrown: unknown) => {
      this.#log.debug({ err: toError(thrown) }, 'failed to close database connections');
    });
    this.#ending.add(ended);
    void ended.finally(() => this.#ending.delete(ended));
  }

  async end(): Promise<void> {
    await Promise.all([this.#pool.end(), ...this.#ending]);
  }

  #open(): Pool {
    const mustBeWritable = this.#urls.length > 1;
    const pool = new Pool({
      ...this.options,
      connectionString: this.#url,
      verify: (client, done) => {
        setUp(client, mustBeWritable).then(
          () => done(),
          (thrown: unknown) => done(toError(thrown)),
        );
      },
    });
    pool.on('error', (err) => this.#log.warn({ err }, 'idle database connection lost'));
    // A connection that is checked out but idle: its next query rejects.
    pool.on('connect', (client) => {
      client.on('error', (err) => this.#log.debug({ err }, 'database connection lost'));
    });
    return pool;
  }

  /** Resolves to whether a different server accepts writes now. */
  #findPrimary(): Promise<boolean> {
    this.#search ??= this.#probeAll().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  async #probeAll(): Promise<boolean> {
    let found: string;
    try {
      found = await Promise.any(this.#urls.map((url) => this.#probe(url)));
    } catch (thrown) {
      await delay(systemClock, SEARCH_PAUSE_MS);
      throw new StoreUnavailableError(thrown);
    }
    if (found === this.#url) return false;
    this.#url = found;
    this.#renewNow();
    this.#log.info({ server: new URL(found).host }, 'database primary changed');
    return true;
  }

  async #probe(url: string): Promise<string> {
    const client = new Client({
      ...this.options,
      connectionString: url,
      connectionTimeoutMillis: PROBE_LIMIT_MS,
      query_timeout: PROBE_LIMIT_MS,
    });
    client.on('error', (err) => this.#log.debug({ err }, 'database connection lost'));
    try {
      await client.connect();
      await requireWritable(client);
      return url;
    } finally {
      client.end().catch((thrown: unknown) => {
        this.#log.debug({ err: toError(thrown) }, 'failed to close database connections');
      });
    }
  }
}

/** Poolers, such as pgbouncer, give their clients other numbers than the server's, and move them between sessions. */
async function setUp(client: ClientBase, mustBeWritable: boolean): Promise<void> {
  const { isWritable, sessionPid } = await prepareSession(client);
  if (mustBeWritable && !isWritable) throw notWritable();
  if ('processID' in client && client.processID === sessionPid) prepareStatements(client);
}

async function requireWritable(client: ClientBase): Promise<void> {
  if (!(await prepareSession(client)).isWritable) throw notWritable();
}

async function prepareSession(client: ClientBase): Promise<{ isWritable: boolean; sessionPid: number }> {
  const { rows } = await client.query<{ pid: number; read_only: string }>(
    // A role or a database may have other defaults: the driver returns null for times in another style, and concurrent
    // transactions of a higher isolation level fail.
    `select pg_backend_pid() as pid, current_setting('transaction_read_only') as read_only,
      set_config('datestyle', 'ISO', false),
      set_config('default_transaction_isolation', 'read committed', false)`,
  );
  return { isWritable: rows[0]?.read_only === 'off', sessionPid: rows[0]?.pid ?? 0 };
}

/** Whatever prevents a connection, such as a rejected password or certificate, applies to no single query. */
function asUnavailable(thrown: unknown): StoreUnavailableError {
  return thrown instanceof StoreUnavailableError ? thrown : new StoreUnavailableError(thrown);
}

function notWritable(): StoreUnavailableError {
  return new StoreUnavailableError(new Error('the server does not accept writes'));
}
