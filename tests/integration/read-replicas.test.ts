import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import { silentLogger } from '@calls/foundation/logger';
import { findFreePorts } from '@calls/local-stack/free-port';
import { ReadReplicas } from '@calls/store/read-replicas';
import type { Database } from '@calls/store/store';
import { callsOf } from '@calls/store/tables/call-lists';
import { sql } from 'kysely';
import { ControlPlaneHarness } from '../support/control-plane-harness.ts';
import { eventually } from '../support/eventually.ts';
import { allowReplication, queryOne, startStandby } from '../support/postgres-programs.ts';

const MAX_LAG_MS = 2000;
/** Lag limit for tests of other features: on a busy machine, replicas are checked late. */
const LONG_MAX_LAG_MS = 120_000;
const PAGE = { from: null, direction: 'next', limit: 1000 } as const;

const open = new AsyncDisposableStack();
let reads: Record<'replica' | 'primary', number>;
const lags = new Map<string, number | null>();

const harness = await ControlPlaneHarness.start({ ownPostgres: true });
open.defer(() => harness.stop());
await allowReplication(harness.servers, harness.postgres);
await queryOne(harness.postgres.url, `create role reader login password 'reader' in role pg_read_all_data`);
const replica = open.use(await startStandby(harness.postgres.url));
const account = await harness.account();
afterAll(() => open.disposeAsync());
beforeEach(() => {
  reads = { replica: 0, primary: 0 };
});

/** Returns the URL for a role with minimal permissions. */
function asReader(url: string): string {
  return url.replace(/\/\/[^@]+@/u, '//reader:reader@');
}

function openReplicas(url: string, maxLagMs = MAX_LAG_MS): ReadReplicas {
  return new ReadReplicas({
    primary: harness.store.db,
    primaryUrl: asReader(harness.postgres.url),
    urls: [asReader(url)],
    name: 'test',
    poolSize: 2,
    maxLagMs,
    log: silentLogger,
    onRead: (server) => (reads[server] += 1),
    onCheck: (name, lagMs) => lags.set(name, lagMs),
  });
}

async function isStandby(db: Database): Promise<boolean> {
  const { rows } = await sql<{ answer: boolean }>`select pg_is_in_recovery() as answer`.execute(db);
  return rows[0]!.answer;
}

/** Whether reports come from a replica. */
const usesReplica = (replicas: ReadReplicas): Promise<boolean> => replicas.report(isStandby);

async function listedCalls(replicas: ReadReplicas): Promise<string[]> {
  const source = replicas.list((db) => callsOf(db, account.accountId));
  const [rows, total] = await Promise.all([source.fetch(PAGE), source.count()]);
  expect(rows).toHaveLength(total);
  return rows.map((row) => row.call_id);
}

describe('read replicas', () => {
  it('serve reports, and call lists that contain every committed write', async () => {
    await using replicas = openReplicas(replica.url, LONG_MAX_LAG_MS);
    await eventually(async () => expect(await usesReplica(replicas)).toBe(true));
    await eventually(() => expect(lags.get(new URL(replica.url).host)).toBeLessThan(LONG_MAX_LAG_MS));
    reads = { replica: 0, primary: 0 };
    // A list comes from the primary if the replica has not caught up within milliseconds.
    for (let i = 0; i < 20 || reads.replica === 0; i += 1) {
      const { callId } = await account.createCall();
      expect(await listedCalls(replicas)).toContain(callId);
    }
  });

  it('are not used while they lag', async () => {
    await using replicas = openReplicas(replica.url);
    await eventually(async () => expect(await usesReplica(replicas)).toBe(true));
    await queryOne(replica.url, 'select pg_wal_replay_pause()');
    const { callId } = await account.createCall();
    reads = { replica: 0, primary: 0 };
    expect(await listedCalls(replicas)).toContain(callId);
    expect(reads).toEqual({ replica: 0, primary: 2 });
    // A report may be old, up to the limit.
    await eventually(async () => expect(await usesReplica(replicas)).toBe(false));
    await eventually(() => expect(lags.get(new URL(replica.url).host)).toBeNull());
    await queryOne(replica.url, 'select pg_wal_replay_resume()');
    await eventually(async () => expect(await usesReplica(replicas)).toBe(true));
    expect(await listedCalls(replicas)).toContain(callId);
  });

  it('are not used when they are primaries, belong to another cluster or are unreachable', async () => {
    const { url: otherCluster } = await harness.servers.database();
    const closed = `127.0.0.1:${await findFreePorts(1)}`;
    await using replicas = new ReadReplicas({
      primary: harness.store.db,
      primaryUrl: harness.postgres.url,
      urls: [harness.postgres.url, otherCluster, `postgres://a:b@${closed}/calls`],
      name: 'test',
      poolSize: 2,
      maxLagMs: MAX_LAG_MS,
      log: silentLogger,
      onRead: () => undefined,
      onCheck: (name, lagMs) => lags.set(name, lagMs),
    });
    await eventually(() => expect(lags.get(closed)).toBeNull());
    expect(replicas.usable).toBe(0);
    expect(await usesReplica(replicas)).toBe(false);
  });

  it('do not affect requests or readiness when they stop', async () => {
    const standby = open.use(await startStandby(harness.postgres.url));
    const url = await harness.addReplica({}, { databaseReadUrls: [standby.url] });
    const statusOf = async (path: string): Promise<number> => (await account.request(`${url}${path}`)).status;
    const paths = ['/api/calls', '/api/deleted_calls', '/api/accounts/me/usage/calls', '/readyz'];
    await using replicas = openReplicas(standby.url);
    await eventually(async () => expect(await usesReplica(replicas)).toBe(true));
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 200]);
    await standby.kill();
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 200]);
    const { callId } = await account.createCall();
    expect(await usesReplica(replicas)).toBe(false);
    expect(await listedCalls(replicas)).toContain(callId);
    const { body } = await account.request<{ results: Call[] }>(`${url}/api/calls`);
    expect(body.results.map((call) => call.callId)).toContain(callId);
  });

  it('report a growing lag, and are used until it reaches the limit, while the primary is stopped', async () => {
    const { host } = new URL(replica.url);
    const lag = (): number => lags.get(host) ?? NaN;
    await using replicas = openReplicas(replica.url, LONG_MAX_LAG_MS);
    await eventually(async () => expect(await usesReplica(replicas)).toBe(true));
    await harness.postgres.stop();
    const lagAtStop = lag();
    await eventually(() => expect(lag()).toBeGreaterThan(lagAtStop + 2000));
    expect(await usesReplica(replicas)).toBe(true);
    await harness.postgres.start();
    await eventually(() => expect(lag()).toBeLessThan(2000));
  });

  it('are no longer used after they are promoted', async () => {
    await using replicas = openReplicas(replica.url);
    await eventually(async () => expect(await usesReplica(replicas)).toBe(true));
    await queryOne(replica.url, 'select pg_promote()');
    const { callId } = await account.createCall();
    expect(await listedCalls(replicas)).toContain(callId);
    await eventually(() => expect(replicas.usable).toBe(0));
    reads = { replica: 0, primary: 0 };
    expect(await usesReplica(replicas)).toBe(false);
    expect(reads).toEqual({ replica: 0, primary: 1 });
  });
});
