import { delay, systemClock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import { sql } from 'kysely';
import type { PageSource } from './keyset.ts';
import { openStore, type Database, type Store } from './store.ts';
import { isStatementTimeout } from './store-error.ts';

const CHECK_INTERVAL_MS = 1000;
/**
 * Time limit of a check and of a request for a position. Both have their own connections, which reports cannot use up.
 */
const PROBE_LIMIT_MS = 1000;
const PROBE_CONNECTIONS = 2;
/** Pauses of a list until a replica has caught up with the primary. After them, the list is read from the primary. */
const CATCH_UP_PAUSES_MS = [0, 2, 5, 10, 20];

export interface ReadReplicasOptions {
  primaryUrl: string;
  primary: Database;
  /** URLs of the replicas. May be empty, and may include the primary, which is ignored. */
  urls: readonly string[];
  name: string;
  /** Number of connections per replica. */
  poolSize: number;
  queryLimitMs?: number | undefined;
  /** How old the data of a report may be. */
  maxLagMs: number;
  log: Logger;
  onRead: (server: 'replica' | 'primary') => void;
  /** `lagMs` is how old the replica's data may be; null if it is unavailable or not a standby of the primary. */
  onCheck: (replica: string, lagMs: number | null) => void;
}

/** A position in the write-ahead log of the primary that was read at a time. */
interface Sample {
  readonly atMs: number;
  readonly position: bigint;
}

/**
 * Standbys of the primary for reads that may be long. Reads go to the primary if no replica is suitable, and if a replica
 * fails during the read.
 */
export class ReadReplicas implements AsyncDisposable {
  readonly #options: ReadReplicasOptions;
  readonly #replicas: readonly Replica[];
  readonly #owned = new AsyncDisposableStack();
  readonly #primaryProbe: Store;
  /** Oldest first; none is older than a report may be. */
  #samples: Sample[] = [];
  #turn = 0;

  constructor(options: ReadReplicasOptions) {
    const { urls, primaryUrl, name, log } = options;
    this.#options = options;
    this.#replicas = urls.map((url) => this.#owned.use(new Replica(url, options)));
    this.#primaryProbe = this.#owned.use(openProbe({ url: primaryUrl, name, log }));
    if (urls.length === 0) return;
    this.#owned.use(
      startPeriodicTask({
        name: 'read replicas',
        intervalMs: CHECK_INTERVAL_MS,
        clock: systemClock,
        log,
        run: () => this.#check(),
      }),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }

  /** The number of replicas that reports may use. */
  get usable(): number {
    return this.#usable().length;
  }

  /** Runs a read whose result may be old by the allowed lag. May run it again on the primary. */
  report<T>(read: (db: Database) => Promise<T>): Promise<T> {
    const { primary } = this.#options;
    if (this.#replicas.length === 0) return read(primary);
    const [replica] = this.#usable();
    return this.#read(replica, read, () => read(primary));
  }

  /**
   * A list with everything that was committed before it is read. It comes from a replica if that has caught up with the
   * primary within some milliseconds.
   */
  list<Row>(of: (db: Database) => PageSource<Row>): PageSource<Row> {
    const onPrimary = of(this.#options.primary);
    if (this.#replicas.length === 0) return onPrimary;
    const choose = async (): Promise<{ replica?: Replica; source: PageSource<Row> }> => {
      const replica = await this.#findCurrent();
      return replica ? { replica, source: of(replica.db) } : { source: onPrimary };
    };
    let choice: ReturnType<typeof choose> | undefined;
    const read = async <T>(from: (source: PageSource<Row>) => Promise<T>): Promise<T> => {
      const { replica, source } = await (choice ??= choose());
      return this.#read(
        replica,
        () => from(source),
        () => from(onPrimary),
      );
    };
    return {
      keyOf: (row) => onPrimary.keyOf(row),
      fetch: (page) => read((source) => source.fetch(page)),
      count: () => read((source) => source.count()),
    };
  }

  async #read<T>(
    replica: Replica | undefined,
    onReplica: (db: Database) => Promise<T>,
    onPrimary: () => Promise<T>,
  ): Promise<T> {
    const { onRead } = this.#options;
    if (replica)
      try {
        const result = await onReplica(replica.db);
        onRead('replica');
        return result;
      } catch (thrown) {
        // It would take as long on the primary.
        if (isStatementTimeout(thrown)) throw thrown;
        replica.suspend(thrown);
      }
    onRead('primary');
    return onPrimary();
  }

  /** Replicas that are at most `maxLagMs` behind, in rotation. */
  #usable(): Replica[] {
    const oldestMs = systemClock.nowMs() - this.#options.maxLagMs;
    const usable = this.#replicas.filter(({ replayedAtMs }) => replayedAtMs >= oldestMs);
    this.#turn = (this.#turn + 1) % Math.max(1, usable.length);
    return [...usable.slice(this.#turn), ...usable.slice(0, this.#turn)];
  }

  /** A replica with everything that the primary has committed so far. */
  async #findCurrent(): Promise<Replica | undefined> {
    const [replica] = this.#usable();
    if (!replica) return undefined;
    try {
      const position = await this.#primaryPosition();
      for (const pauseMs of CATCH_UP_PAUSES_MS) {
        if (pauseMs > 0) await delay(systemClock, pauseMs);
        if ((await replica.position()) >= position) return replica;
      }
    } catch (thrown) {
      this.#options.log.debug({ err: toError(thrown) }, 'failed to compare a replica with the primary');
    }
    return undefined;
  }

  async #check(): Promise<void> {
    try {
      await this.#compare();
    } finally {
      // Without the primary, the data of its replicas gets older.
      for (const replica of this.#replicas) replica.reportLag();
    }
  }

  async #compare(): Promise<void> {
    const atMs = systemClock.nowMs();
    // Leaves a server that became a standby.
    await this.#primaryProbe.ping();
    const position = await this.#primaryPosition();
    const cluster = await clusterOf(this.#primaryProbe.db);
    const oldestMs = atMs - this.#options.maxLagMs;
    this.#samples = [...this.#samples.filter((sample) => sample.atMs >= oldestMs), { atMs, position }];
    await Promise.all(this.#replicas.map((replica) => replica.check(this.#samples, cluster)));
  }

  async #primaryPosition(): Promise<bigint> {
    const { rows } = await sql<{
      position: string;
    }>`select pg_current_wal_flush_lsn()::text as position`.execute(this.#primaryProbe.db);
    return positionOf(rows[0]?.position ?? null);
  }
}

class Replica implements AsyncDisposable {
  readonly #name: string;
  readonly #store: Store;
  readonly #probe: Store;
  readonly #log: Logger;
  readonly #onCheck: ReadReplicasOptions['onCheck'];
  /** Everything that was committed by this time is visible here. */
  replayedAtMs = -Infinity;
  /** The last logged value. */
  #isUsable: boolean | undefined;

  constructor(url: string, { name, poolSize, queryLimitMs, log, onCheck }: ReadReplicasOptions) {
    this.#name = new URL(url).host;
    this.#store = openStore({ url, name, poolSize, queryLimitMs, log });
    this.#probe = openProbe({ url, name, log });
    this.#log = log;
    this.#onCheck = onCheck;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#store[Symbol.asyncDispose](), this.#probe[Symbol.asyncDispose]()]);
  }

  get db(): Database {
    return this.#store.db;
  }

  /** Leaves the replica unused until the next check. */
  suspend(thrown: unknown): void {
    this.replayedAtMs = -Infinity;
    this.#logState(toError(thrown).message);
  }

  /** Rejects if it is not a standby. */
  async position(): Promise<bigint> {
    const { rows } = await sql<{ position: string | null }>`
      select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end::text as position`.execute(
      this.#probe.db,
    );
    return positionOf(rows[0]?.position ?? null);
  }

  async check(samples: readonly Sample[], cluster: string | null): Promise<void> {
    try {
      const position = await this.position();
      if ((await clusterOf(this.#probe.db)) !== cluster)
        throw new Error('the server is not a standby of the servers in DATABASE_URL');
      const replayed = samples.findLast((sample) => sample.position <= position);
      this.replayedAtMs = replayed?.atMs ?? -Infinity;
      this.#logState(replayed ? null : 'lags too far behind');
    } catch (thrown) {
      this.suspend(thrown);
    }
  }

  reportLag(): void {
    const isKnown = this.replayedAtMs > -Infinity;
    this.#onCheck(this.#name, isKnown ? systemClock.nowMs() - this.replayedAtMs : null);
  }

  #logState(reason: string | null): void {
    const isUsable = reason === null;
    if (isUsable === this.#isUsable) return;
    this.#isUsable = isUsable;
    if (isUsable) this.#log.info({ replica: this.#name }, 'read replica available');
    else this.#log.warn({ replica: this.#name, reason }, 'read replica not usable');
  }
}

function openProbe(options: { url: string; name: string; log: Logger }): Store {
  return openStore({ ...options, poolSize: PROBE_CONNECTIONS, queryLimitMs: PROBE_LIMIT_MS });
}

/** A standby has the same identifier as its primary. */
async function clusterOf(db: Database): Promise<string | null> {
  const { rows } = await sql<{ cluster: string }>`
    select system_identifier::text as cluster from pg_control_system()`.execute(db);
  return rows[0]?.cluster ?? null;
}

/** Parses a `pg_lsn`. Throws if there is none, as on a primary. */
function positionOf(text: string | null): bigint {
  const [, high, low] = /^([\dA-F]+)\/([\dA-F]+)$/u.exec(text ?? '') ?? [];
  if (high === undefined || low === undefined) throw new Error('the server is not a standby');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
