import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { Bus } from '@calls/bus/bus';
import type { CreatedCallDelivery } from '@calls/bus/created-calls';
import { connectBus } from '@calls/bus/connect-bus';
import type { Holder, Lease } from '@calls/bus/leases';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { callSpec } from '@calls/testkit/call-spec';
import { eventually } from '../support/eventually.ts';
import { leaderOf, streamInfos } from '../support/nats-cluster.ts';
import { ScratchServers } from '../support/scratch-servers.ts';

const STREAMS = ['CALLS_CREATED', 'CALL_EVENTS', 'KV_call_leases', 'KV_media_workers', 'KV_sip_dialogs'];
const PULL_WAIT_MS = 2000;

const open: AsyncDisposable[] = [];

const scratch = await ScratchServers.open();
const cluster = await scratch.natsCluster(3);
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
});
afterAll(() => scratch.close());

async function bus(replicas: number): Promise<Bus> {
  const connected = await connectBus({ url: cluster.url, name: 'test', replicas, log: silentLogger });
  open.push(connected);
  return connected;
}

/** Every stream has this many replicas, all of which have its messages. */
async function replicated(count: number): Promise<void> {
  await eventually(async () => {
    const found = (await streamInfos(cluster, STREAMS)).map(({ config, cluster: peers }) => ({
      name: config.name,
      wanted: config.num_replicas,
      current: (peers?.leader ? 1 : 0) + (peers?.replicas ?? []).filter(({ current }) => current).length,
    }));
    expect(found).toEqual(STREAMS.map((name) => ({ name, wanted: count, current: count })));
  });
}

const holder = (workerId: string) => ({ workerId, url: `ws://${workerId}` });

/** Retries, because an election on a busy machine can take longer than the time limit of one failover. */
function takeOver({ leases }: Bus, callId: string, next: Holder): Promise<Lease> {
  return eventually(async () => {
    const taken = await leases.takeOver((await leases.find(callId))!, next);
    if (!taken) throw new Error('another worker has the call');
    return taken;
  });
}

/** The next created call, pulled as a worker does. */
async function takeNext({ createdCalls }: Bus): Promise<CreatedCallDelivery> {
  const stop = new AbortController();
  open.push({
    [Symbol.asyncDispose]: () => {
      stop.abort();
      return Promise.resolve();
    },
  });
  while (!stop.signal.aborted) {
    const taken = await createdCalls.take('standard', PULL_WAIT_MS, stop.signal);
    if (taken) return taken;
  }
  throw new Error('no call was taken');
}

function createdCall(): CreatedCall {
  return { admissionClass: 'standard', spec: callSpec() };
}

function noted(callId: string, seq: number): CallLogEntry {
  return {
    ...{ callId, accountId: newId(), seq, epoch: 1, wallClockMs: Date.now() },
    body: {
      ...{ type: 'noted', stageId: newId(), callTimestampMs: 0, severity: 'info' },
      ...{ eventType: 'test', text: 'x', extras: null },
    },
  };
}

describe('streams on three NATS servers', () => {
  it('remain usable after the leader of the lease stream is killed', async () => {
    const worker = await bus(3);
    await replicated(3);
    const [held, queued] = [createdCall(), createdCall()];
    const { callId } = held.spec;
    const lease = await worker.leases.acquire(held, holder('w1'));
    if (typeof lease === 'string') throw new Error(lease);
    const handled: number[] = [];
    open.push(
      worker.callLogs.consume(
        'cluster',
        (entry) => {
          if (entry.callId === callId) handled.push(entry.seq);
          return Promise.resolve();
        },
        { maxInFlight: 16, concurrency: 4 },
      ),
    );
    let position = await worker.callLogs.append(noted(callId, 1), 0);
    const waiting = takeNext(worker);
    const leader = await leaderOf(cluster, 'KV_call_leases');
    await leader.kill();

    // Any replica answers; a client of the killed server may need more than its time limit to reconnect.
    expect(await eventually(() => worker.leases.holds(lease))).toBe(true);
    expect(await eventually(() => worker.leases.find(callId))).toMatchObject({
      epoch: 1,
      holder: holder('w1'),
    });

    const second = await takeOver(worker, callId, holder('w2'));
    expect(second).toMatchObject({ callId, workerId: 'w2' });
    expect(second.epoch).toBeGreaterThan(1);
    // The replica that answers gets the new record from the leader.
    await eventually(async () => expect(await worker.leases.holds(lease)).toBe(false));
    position = await eventually(() => worker.callLogs.append(noted(callId, 2), position));
    const log = await eventually(() => worker.callLogs.read(callId));
    expect(log.map(({ event }) => event.seq)).toEqual([1, 2]);
    await eventually(() => worker.createdCalls.publish(queued, queued.spec.callId));
    const taken = await waiting;
    expect(taken.call).toEqual(queued);
    taken.ack();
    await eventually(() => worker.leases.end(second));
    await eventually(() => expect(new Set(handled)).toEqual(new Set([1, 2])));

    const joined = await bus(3);
    await eventually(async () => expect(await joined.leases.acquire(held, holder('w3'))).toBe('over'));
    await leader.start();
    await replicated(3);
  });

  it('are reported as unavailable while two servers are lost, and recover without a restart', async () => {
    const { servers } = cluster;
    const service = await bus(3);
    await replicated(3);
    await service.streams.check();
    expect(await service.createdCalls.isReady()).toBe(true);
    await Promise.all([servers[0]!.kill(), servers[1]!.kill()]);
    await eventually(() =>
      expect(service.streams.check()).rejects.toMatchObject({ code: 'bus_unavailable' }),
    );
    await eventually(async () => expect(await service.createdCalls.isReady()).toBe(false));
    await Promise.all([servers[0]!.start(), servers[1]!.start()]);
    await eventually(() => service.streams.check());
    const call = createdCall();
    await eventually(async () => expect(await service.createdCalls.isReady()).toBe(true));
    await eventually(() => service.createdCalls.publish(call, call.spec.callId));
    await eventually(() => service.leases.acquire(call, holder('w1')));
  });

  // Last: NATS 2.9 reports replicas of a stream as current before they have its messages. If its leader is killed then,
  // they never elect another one.
  it('get the configured number of replicas when several services start at the same time', async () => {
    const former = await bus(1);
    await replicated(1);
    const call = createdCall();
    const lease = { callId: call.spec.callId, workerId: 'w1', epoch: 1 };
    expect(await former.leases.acquire(call, holder('w1'))).toMatchObject(lease);
    for (const replicas of [3, 1, 3]) {
      const started = await Promise.all([bus(replicas), bus(replicas), bus(replicas)]);
      await replicated(replicas);
      expect(await started[0].leases.acquire(call, holder('w1'))).toEqual(lease);
    }
  });
});
