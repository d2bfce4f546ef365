import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { delay, systemClock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { findFreePorts } from '@calls/local-stack/free-port';
import { assertMigrated, migrate } from '@calls/store/migrate';
import { openStore, type Store } from '@calls/store/store';
import { isStoreUnavailable } from '@calls/store/store-error';
import { claimOutbox, deleteOutbox, insertOutbox } from '@calls/store/tables/outbox';
import { findVoicesByIdOrName } from '@calls/store/tables/voices';
import { sql } from 'kysely';
import { eventually } from '../support/eventually.ts';
import { startPgBouncer, type PostgresProgram } from '../support/postgres-programs.ts';
import { ScratchServers } from '../support/scratch-servers.ts';
import { openTestStore } from '../support/test-store.ts';

const MIGRATIONS = join(import.meta.dirname, '../../packages/store/src/migrations');

let url: string;
const stores: Store[] = [];

function store(): Store {
  const opened = openTestStore(url, { poolSize: 4 });
  stores.push(opened);
  return opened;
}

/** Forwards connections to a port of this machine. Each chunk to the server waits for `pass`. */
async function startProxy(port: string, pass: (toServer: Buffer) => Promise<void>) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(Number(port), '127.0.0.1');
    const forward = async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) await pass(chunk).then(() => target.write(chunk));
      target.end();
    };
    sockets.add(client).add(target);
    for (const socket of [client, target]) socket.on('error', () => client.destroy());
    void forward(client).catch(() => target.destroy());
    target.pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe.each([['directly'], ['through pgbouncer']])('the store, connected %s', (way) => {
  let servers: ScratchServers;
  let pgBouncer: PostgresProgram | undefined;

  beforeAll(async () => {
    servers = await ScratchServers.open();
    ({ url } = await servers.database({ empty: true }));
    const database = sql.id(new URL(url).pathname.slice(1));
    const { db } = store();
    await sql`alter database ${database} set datestyle = 'SQL, DMY'`.execute(db);
    await sql`alter database ${database} set default_transaction_isolation = 'serializable'`.execute(db);
    if (way === 'through pgbouncer') {
      pgBouncer = await startPgBouncer(url);
      ({ url } = pgBouncer);
    }
  });
  afterAll(async () => {
    for (const each of stores.splice(0)) await each[Symbol.asyncDispose]();
    await pgBouncer?.[Symbol.asyncDispose]();
    await servers.close();
  });

  describe('database migrations', () => {
    it('are applied exactly once by concurrent processes', async () => {
      const { db } = store();
      await expect(assertMigrated(db)).rejects.toThrow('0001-first-tables');
      const applied = await Promise.all([migrate(db), migrate(store().db), migrate(store().db)]);
      const numbers = applied.flat().map((name) => Number(name.slice(0, 4)));
      // A file contains one migration or several (`0002-to-0010.ts`). The numbers may have gaps.
      const all = readdirSync(MIGRATIONS).flatMap((file) => {
        const { from, to = from } = /^(?<from>\d{4})(?:-to-(?<to>\d{4}))?/u.exec(file)?.groups ?? {};
        if (from === undefined) return [];
        const first = Number(from);
        return Array.from({ length: Number(to) - first + 1 }, (_, i) => first + i);
      });
      expect(numbers).toEqual(all.sort((a, b) => a - b));
      expect(await migrate(db)).toEqual([]);
      await assertMigrated(db);
    });
  });

  it('reads times whatever the default format of the database is', async () => {
    const { db } = store();
    const readTime = async (): Promise<unknown> =>
      (await sql<{ at: Date }>`select ${new Date(0)}::timestamptz as at`.execute(db)).rows[0]!.at;
    const times = await Promise.all(Array.from({ length: 20 }, readTime));
    expect(times).toEqual(times.map(() => new Date(0)));
  });

  it('uses the isolation level read committed where the connection is one session of the server', async () => {
    const { rows } = await sql<{ level: string }>`
      select current_setting('transaction_isolation') as level`.execute(store().db);
    if (way === 'directly') expect(rows).toEqual([{ level: 'read committed' }]);
  });

  it('prepares frequent statements where the connection is one session of the server', async () => {
    const { db } = store();
    const find = () => findVoicesByIdOrName(db, newId(), { name: 'unknown' });
    const found = await Promise.all(Array.from({ length: 20 }, find));
    expect(found.flat()).toEqual([]);
    const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(db);
    expect(rows).toEqual(way === 'directly' ? [{ name: 'voices_by_name' }] : []);
  });

  describe('outbox', () => {
    it('assigns each row to one claimer until its hold expires', async () => {
      const { db } = store();
      const ids = Array.from({ length: 20 }, () => newId());
      for (const id of ids) await insertOutbox(db, id, { topic: 'job', payload: { id } });
      const claim = (claimMs: number) => claimOutbox(db, { topic: 'job', claimMs, limit: 5 });
      const held = await Promise.all([claim(60_000), claim(60_000), claim(60_000)]);
      const taken = [...held.flat(), ...(await claim(0))].map((entry) => entry.outboxId);
      expect(new Set(taken).size).toBe(20);
      const again = await claim(60_000);
      expect(again).toHaveLength(5);
      expect(again.every((entry) => entry.attempts === 2 && entry.ageMs >= 0)).toBe(true);
      expect(again[0]!.payload).toEqual({ id: again[0]!.outboxId });
      await deleteOutbox(db, ids);
      expect(await claim(0)).toEqual([]);
    });
  });
});

describe('the store', () => {
  let servers: ScratchServers;

  beforeAll(async () => {
    servers = await ScratchServers.open();
    ({ url } = await servers.database());
  });
  afterAll(async () => {
    for (const each of stores.splice(0)) await each[Symbol.asyncDispose]();
    await servers.close();
  });

  const write = ({ db }: Store): Promise<void> =>
    insertOutbox(db, newId(), { topic: 'job', payload: { kind: 'test' } });

  it('connects to the server that accepts writes when the URL lists several', async () => {
    const { host } = new URL(url);
    const closed = `127.0.0.1:${await findFreePorts(1)}`;
    url = url.replace(host, `${closed},${host}`);
    await store().ping();
    await write(store());
    url = url.replace(`,${host}`, '');
    expect(
      isStoreUnavailable(
        await store()
          .ping()
          .catch((thrown: unknown) => thrown),
      ),
    ).toBe(true);
    url = url.replace(closed, host);
  });

  it.each(['53100', '53200', '58030'])('is unavailable when the server fails with %s', async (state) => {
    const { db } = store();
    const fail = sql.raw(`do $$ begin raise 'no space left' using errcode = '${state}'; end $$`);
    const thrown: unknown = await fail.execute(db).catch((error: unknown) => error);
    expect(isStoreUnavailable(thrown)).toBe(true);
  });

  it('is unavailable when the server accepts no login', async () => {
    const rejected = new URL(url);
    rejected.pathname = '/missing';
    await using locked = openTestStore(rejected.href);
    await expect(locked.ping()).rejects.toMatchObject({
      code: 'store_unavailable',
      cause: expect.objectContaining({ message: expect.stringContaining('missing') }),
    });
  });

  it('includes the first query of a connection in the limit of the wait for it', async () => {
    const server = new URL(url);
    let connections = 0;
    const held = Promise.withResolvers<null>();
    await using proxy = await startProxy(server.port, async (toServer) => {
      if (toServer.includes('SCRAM-SHA-256')) {
        connections += 1;
        await delay(systemClock, 1000);
      }
      if (toServer.includes('pg_backend_pid')) await held.promise;
    });
    server.port = String(proxy.port);
    await using slow = openStore({
      ...{ url: server.href, name: 'slow', poolSize: 1, queryLimitMs: 2000, log: silentLogger },
    });
    expect(isStoreUnavailable(await slow.ping().catch((thrown: unknown) => thrown))).toBe(true);
    held.resolve(null);
    await slow.ping();
    expect(connections).toBe(1);
  });

  it('waits for a connection of its own when the server accepts no more', async () => {
    const { db } = store();
    const limited = new URL(url);
    limited.username = `limited_${newId().replaceAll('-', '')}`;
    const [role, password] = [sql.ref(limited.username), sql.lit(limited.password)];
    await sql`create role ${role} login password ${password} connection limit 1`.execute(db);
    await using service = openTestStore(limited.href, { poolSize: 4 });
    await service.ping();
    const busy = sql`select pg_sleep(0.2)`.execute(service.db);
    await service.ping();
    await busy;
  });

  it('replaces connections that became read-only', async () => {
    const operator = store();
    const name = sql.ref(new URL(url).pathname.slice(1));
    await sql`alter database ${name} set default_transaction_read_only = on`.execute(operator.db);
    const service = store();
    expect(isStoreUnavailable(await write(service).catch((thrown: unknown) => thrown))).toBe(true);
    await expect(service.ping()).rejects.toMatchObject({ code: 'store_unavailable' });
    await sql`alter database ${name} reset default_transaction_read_only`.execute(operator.db);
    await eventually(() => write(service));
    await service.ping();
  });
});
