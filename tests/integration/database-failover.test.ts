import { afterAll, describe, expect, it } from '@jest/globals';
import { delay, systemClock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { migrate } from '@calls/store/migrate';
import { openStore, type Database, type Store } from '@calls/store/store';
import { isStoreUnavailable } from '@calls/store/store-error';
import { insertOutbox } from '@calls/store/tables/outbox';
import { eventually } from '../support/eventually.ts';
import { allowReplication, queryOne, severalHosts, startStandby } from '../support/postgres-programs.ts';
import { ScratchServers } from '../support/scratch-servers.ts';
import { openTestStore } from '../support/test-store.ts';

const WRITERS = 4;
const PAUSE_MS = 5;
const NAME = 'failing-over';

const open = new AsyncDisposableStack();

const scratch = await ScratchServers.open();
open.defer(() => scratch.close());
const first = await scratch.postgres();
await using store = openTestStore(first.url);
await migrate(store.db);
await allowReplication(scratch, first);
const second = open.use(await startStandby(first.url));
afterAll(() => open.disposeAsync());

/** Writes without a pause until it is disposed. */
class Load implements AsyncDisposable {
  readonly acknowledged = new Set<string>();
  readonly failures: unknown[] = [];
  readonly #store: Store;
  readonly #stop = new AbortController();
  readonly #writers: Promise<void>[];

  constructor(...urls: string[]) {
    const url = severalHosts(urls);
    this.#store = openStore({ url, name: NAME, poolSize: WRITERS, log: silentLogger });
    this.#writers = Array.from({ length: WRITERS }, () => this.#write());
  }

  get store(): Store {
    return this.#store;
  }

  async #write(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const id = newId();
      try {
        await insertOutbox(this.#store.db, id, { topic: 'job', payload: { kind: 'test' } });
        this.acknowledged.add(id);
      } catch (thrown) {
        this.failures.push(thrown);
        await delay(systemClock, PAUSE_MS);
      }
    }
  }

  /** Resolves after further acknowledged writes of each writer. */
  async moves(): Promise<void> {
    const enough = this.acknowledged.size + WRITERS * 2;
    await eventually(() => expect(this.acknowledged.size).toBeGreaterThan(enough));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#writers);
    await this.#store[Symbol.asyncDispose]();
  }
}

async function missingRows(db: Database, ids: ReadonlySet<string>): Promise<string[]> {
  // Writers continue during the query, so rows that are acknowledged later are not expected in its result.
  const expected = [...ids];
  const rows = await db.selectFrom('outbox').select('outbox_id').execute();
  const stored = new Set(rows.map((row) => row.outbox_id));
  return expected.filter((id) => !stored.has(id));
}

const unexpected = (load: Load): unknown[] => load.failures.filter((thrown) => !isStoreUnavailable(thrown));

describe('a failover of PostgreSQL under load', () => {
  it('loses no acknowledged write when a synchronous standby replaces a lost primary', async () => {
    await queryOne(first.url, `alter system set synchronous_standby_names = '*'`);
    await queryOne(first.url, 'select pg_reload_conf()');
    await eventually(async () => {
      const row = await queryOne(first.url, 'select sync_state from pg_stat_replication');
      expect(row).toEqual({ sync_state: 'sync' });
    });
    await using load = new Load(first.url, second.url);
    await load.moves();
    await first.kill();
    await eventually(() => expect(load.failures.length).toBeGreaterThanOrEqual(WRITERS));
    await expect(load.store.ping()).rejects.toThrow();
    await queryOne(second.url, 'select pg_promote()');
    await load.moves();
    await load.store.ping();
    expect(unexpected(load)).toEqual([]);
    expect(await missingRows(load.store.db, load.acknowledged)).toEqual([]);
  });

  it('moves connections and writes away from a server that became read-only', async () => {
    await using third = await startStandby(second.url);
    await using load = new Load(second.url, third.url);
    await load.moves();
    await queryOne(second.url, 'alter system set default_transaction_read_only = on');
    await queryOne(second.url, 'select pg_reload_conf()');
    await eventually(() => expect(load.failures).not.toEqual([]));
    // Until its last writable connection is closed, the server may acknowledge writes that the standby does not have yet.
    const writable = `select count(*)::int as count from pg_stat_activity
      where application_name = '${NAME}' and backend_start < pg_conf_load_time()`;
    await eventually(async () => expect(await queryOne(second.url, writable)).toEqual({ count: 0 }));
    await eventually(async () => {
      const { position } = (await queryOne(second.url, 'select pg_current_wal_lsn() as position')) as {
        position: string;
      };
      const question = `select pg_last_wal_replay_lsn() >= '${position}' as has_all`;
      expect(await queryOne(third.url, question)).toEqual({ has_all: true });
    });
    await queryOne(third.url, 'select pg_promote()');
    await load.moves();
    expect(unexpected(load)).toEqual([]);
    expect(load.failures.map((thrown) => (thrown as { code?: string }).code)).toContain('25006');
    expect(await missingRows(load.store.db, load.acknowledged)).toEqual([]);
    const connections = `select count(*)::int as count from pg_stat_activity where application_name = '${NAME}'`;
    await eventually(async () => expect(await queryOne(second.url, connections)).toEqual({ count: 0 }));
  });
});
