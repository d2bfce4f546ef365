import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { Bus } from '@calls/bus/bus';
import { CallLogMovedError } from '@calls/bus/bus-error';
import { connectBus } from '@calls/bus/connect-bus';
import { Connection } from '@calls/bus/connection';
import type { CreatedCallDelivery } from '@calls/bus/created-calls';
import { newId } from '@calls/foundation/ids';
import { createLogger, silentLogger } from '@calls/foundation/logger';
import { currentLogFields, newTraceContext, runInTrace } from '@calls/foundation/trace-context';
import { callSpec } from '@calls/testkit/call-spec';
import { findFreePorts } from '@calls/local-stack/free-port';
import { requireQuick } from '@calls/testkit/long-form';
import { connect as connectNats, Events } from 'nats';
import { eventually } from '../support/eventually.ts';
import { connectTestBus } from '../support/connect-test-bus.ts';
import { ScratchServers } from '../support/scratch-servers.ts';

const open: AsyncDisposable[] = [];
const never = new AbortController().signal;
/** Time limit for responses that arrive, on a busy machine. */
const AMPLE_MS = 60_000;

async function bus(): Promise<Bus> {
  const connected = await connectTestBus(nats.url);
  open.push(connected);
  return connected;
}

const servers = await ScratchServers.open();
const nats = await servers.nats();
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
});
afterAll(() => servers.close());

interface Proxy extends AsyncDisposable {
  url: string;
  /** Clients in the order of their connections. */
  clients: Socket[];
  /** Accepts no more connections. */
  refuse(): void;
}

/** To the server. `behaviour` of each connection, by its number: `closes` after the first message of the server. */
async function startProxy(behaviour: (connection: number) => 'works' | 'closes'): Promise<Proxy> {
  const { hostname, port } = new URL(nats.url);
  const clients: Socket[] = [];
  const proxy = createServer((client) => {
    const server = connectTcp(Number(port), hostname);
    client.on('error', () => undefined).on('close', () => server.destroy());
    server.on('error', () => undefined).on('close', () => client.destroy());
    if (behaviour(clients.push(client)) === 'closes') server.on('data', (info) => client.end(info));
    else client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, hostname, resolve));
  const url = new URL(nats.url);
  url.port = String((proxy.address() as AddressInfo).port);
  const refuse = (): void => void proxy.close();
  return {
    url: url.href,
    clients,
    refuse,
    [Symbol.asyncDispose]: () => {
      refuse();
      for (const client of clients) client.destroy();
      return Promise.resolve();
    },
  };
}

function createdCall(admissionClass: CreatedCall['admissionClass'] = 'standard'): CreatedCall {
  return { admissionClass, spec: callSpec() };
}

function noted(callId: string, seq: number, text = 'x'): CallLogEntry {
  return {
    callId,
    accountId: newId(),
    seq,
    epoch: 1,
    wallClockMs: Date.now(),
    body: {
      type: 'noted',
      stageId: newId(),
      callTimestampMs: 0,
      severity: 'info',
      eventType: 'test',
      text,
      extras: null,
    },
  };
}

describe('commands for a call', () => {
  const end = { kind: 'end' } as const;

  it('get a response while a worker runs the call', async () => {
    const [api, worker, other] = await Promise.all([bus(), bus(), bus()]);
    const [callId, elsewhere] = [newId(), newId()];
    expect(await api.commands.send(callId, end)).toBeNull();
    const got: unknown[] = [];
    const served = worker.commands.serve(callId, (command) => {
      got.push(command);
      return { outcome: 'accepted' };
    });
    other.commands.serve(elsewhere, () => ({ outcome: 'not_joined' }));
    const text = 'x'.repeat(60_000) + 'é'.repeat(5536);
    const message = { kind: 'send_message', message: { type: 'user_text_message', text } } as const;
    for (const { connection } of [worker, other]) await connection.ping();
    expect(await api.commands.send(callId, message, AMPLE_MS)).toEqual({ outcome: 'accepted' });
    expect(got).toEqual([message]);
    expect(await api.commands.send(elsewhere, end, AMPLE_MS)).toEqual({ outcome: 'not_joined' });
    served[Symbol.dispose]();
    await worker.connection.ping();
    expect(await api.commands.send(callId, end)).toBeNull();
  });

  it('reject without a response or without a bus connection', async () => {
    const [api, worker] = await Promise.all([bus(), bus()]);
    const callId = newId();
    worker.commands.serve(callId, () => {
      throw new Error('broken');
    });
    const lasting = newId();
    worker.commands.serve(lasting, () => ({ outcome: 'accepted' }));
    await worker.connection.ping();
    await expect(api.commands.send(callId, end)).rejects.toMatchObject({ code: 'bus_unavailable' });
    await nats.stop();
    try {
      await eventually(() => expect(api.connection.connected).toBe(false));
      await expect(api.commands.send(callId, end)).rejects.toMatchObject({ code: 'bus_unavailable' });
    } finally {
      await nats.start();
    }
    // Responders survive the outage.
    await eventually(async () => {
      expect(await api.commands.send(lasting, end)).toEqual({ outcome: 'accepted' });
    });
  });
});

describe('created calls', () => {
  it('are delivered to exactly one consumer per class and dedup id', async () => {
    const [a, b] = await Promise.all([bus(), bus()]);
    const calls = [createdCall(), createdCall(), createdCall('priority')];
    for (const call of calls) await a.createdCalls.publish(call, call.spec.callId);
    await a.createdCalls.publish(calls[0]!, calls[0]!.spec.callId);
    const ids = async (deliveries: readonly Promise<CreatedCallDelivery | null>[]) => {
      const taken = await Promise.all(deliveries);
      for (const delivery of taken) delivery?.ack();
      return taken.map((delivery) => delivery?.call.spec.callId);
    };
    const standard = await ids([
      a.createdCalls.take('standard', AMPLE_MS, never),
      b.createdCalls.take('standard', AMPLE_MS, never),
    ]);
    expect(standard.sort()).toEqual([calls[0]!.spec.callId, calls[1]!.spec.callId].sort());
    expect(
      await ids([
        b.createdCalls.take('standard', 500, never),
        b.createdCalls.take('priority', AMPLE_MS, never),
        b.createdCalls.take('lowest_cost', 0, never),
      ]),
    ).toEqual([undefined, calls[2]!.spec.callId, undefined]);
  });

  it('are redelivered when released, and a pending pull ends on abort', async () => {
    const a = await bus();
    const call = createdCall();
    await a.createdCalls.publish(call, call.spec.callId);
    (await a.createdCalls.take('standard', AMPLE_MS, never))!.release(50);
    const again = await a.createdCalls.take('standard', AMPLE_MS, never);
    expect(again?.call).toEqual(call);
    again!.ack();
    const abort = new AbortController();
    const startMs = performance.now();
    const waiting = a.createdCalls.take('standard', 5000, abort.signal);
    abort.abort();
    expect(await waiting).toBeNull();
    requireQuick(performance.now() - startMs, 4000);
    // A call published after the abort is not lost to the aborted pull.
    const next = createdCall();
    await a.createdCalls.publish(next, next.spec.callId);
    const taken = await a.createdCalls.take('standard', AMPLE_MS, never);
    expect(taken?.call).toEqual(next);
    taken!.ack();
  });

  it('are redelivered before clients stop waiting when their worker does not acknowledge them', async () => {
    const [lost, other] = await Promise.all([bus(), bus()]);
    const call = createdCall();
    await lost.createdCalls.publish(call, call.spec.callId);
    expect((await lost.createdCalls.take('standard', AMPLE_MS, never))?.call).toEqual(call);
    const again = await other.createdCalls.take('standard', AMPLE_MS, never);
    expect(again?.call).toEqual(call);
    again?.ack();
  });

  it('are counted while they wait', async () => {
    const a = await bus();
    const waiting = () => a.createdCalls.waiting();
    await eventually(async () => expect(await waiting()).toMatchObject({ priority: 0, lowest_cost: 0 }));
    const call = createdCall('lowest_cost');
    await a.createdCalls.publish(call, call.spec.callId);
    expect(await waiting()).toMatchObject({ priority: 0, lowest_cost: 1 });
    const taken = await a.createdCalls.take('lowest_cost', AMPLE_MS, never);
    taken!.ack();
    expect(await waiting()).toMatchObject({ priority: 0, lowest_cost: 0 });
  });

  it('skip and remove invalid messages', async () => {
    const a = await bus();
    const { host, username: token } = new URL(nats.url);
    const raw = await connectNats({ servers: host, token });
    await raw.jetstream().publish('calls.created.standard', '{"nonsense":true}');
    await raw.jetstream().publish('calls.created.standard', 'not json');
    await raw.close();
    const call = createdCall();
    await a.createdCalls.publish(call, call.spec.callId);
    const taken = await a.createdCalls.take('standard', AMPLE_MS, never);
    expect(taken?.call.spec.callId).toBe(call.spec.callId);
    taken!.ack();
  });

  it('can contain a megabyte of text', async () => {
    const a = await bus();
    const call = createdCall();
    call.spec.firstStage.systemPrompt = 'Say what you know of ä, ö and ü. '.repeat(33_000);
    await a.createdCalls.publish(call, call.spec.callId);
    const taken = await a.createdCalls.take('standard', AMPLE_MS, never);
    expect(taken?.call.spec.firstStage.systemPrompt === call.spec.firstStage.systemPrompt).toBe(true);
    taken!.ack();
  });
});

describe('call events', () => {
  it('are handled at least once and in order within a call, including after failures', async () => {
    const a = await bus();
    const seen: string[] = [];
    const failures = new Map([
      ['1', 2],
      ['3', 1],
    ]);
    const callId = newId();
    const other = newId();
    open.push(
      a.callLogs.consume(
        `order_${callId.slice(-6)}`,
        (event) => {
          const left = failures.get(String(event.seq)) ?? 0;
          if (event.callId === callId && left > 0) {
            failures.set(String(event.seq), left - 1);
            return Promise.reject(new Error('not yet'));
          }
          seen.push(`${event.callId === callId ? 'a' : 'b'}${event.seq}`);
          return Promise.resolve();
        },
        { maxInFlight: 64, concurrency: 4 },
      ),
    );
    for (let seq = 1; seq <= 5; seq += 1) {
      await a.callLogs.append(noted(callId, seq));
      await a.callLogs.append(noted(other, seq));
      await a.callLogs.append(noted(callId, seq));
    }
    await eventually(() => expect(seen).toHaveLength(10));
    expect(seen.filter((item) => item.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
    expect(seen.filter((item) => item.startsWith('b'))).toEqual(['b1', 'b2', 'b3', 'b4', 'b5']);
  });

  it('wait for a later consumer and resume after a server outage', async () => {
    const a = await bus();
    const callId = newId();
    const durable = `outage_${callId.slice(-6)}`;
    const seen: number[] = [];
    await a.callLogs.append(noted(callId, 1));
    expect(await a.callLogs.unhandled(durable)).toBeGreaterThan(0);
    open.push(
      a.callLogs.consume(
        durable,
        (event) => {
          if (event.callId === callId) seen.push(event.seq);
          return Promise.resolve();
        },
        { maxInFlight: 16, concurrency: 4 },
      ),
    );
    await eventually(() => expect(seen).toEqual([1]));
    await nats.stop();
    await eventually(() => expect(a.connection.connected).toBe(false));
    await expect(a.callLogs.append(noted(callId, 2))).rejects.toMatchObject({ code: 'bus_unavailable' });
    await expect(a.connection.ping()).rejects.toMatchObject({ code: 'bus_unavailable', retryable: true });
    await nats.start();
    await eventually(() => expect(a.connection.connected).toBe(true));
    await eventually(() => a.callLogs.append(noted(callId, 2)));
    // An event is delivered again if its acknowledgement was lost in the outage.
    await eventually(() => expect([...new Set(seen)]).toEqual([1, 2]));
    await a.connection.ping();
  });
});

describe('the trace context of bus messages', () => {
  it('is propagated to the handlers of commands and events', async () => {
    const [sender, receiver] = await Promise.all([bus(), bus()]);
    const callId = newId();
    const seen: Record<string, string>[] = [];
    receiver.commands.serve(callId, () => {
      seen.push(currentLogFields());
      return { outcome: 'accepted' };
    });
    receiver.callLogs.consume(
      'traces',
      (event) => {
        if (event.callId === callId) seen.push(currentLogFields());
        return Promise.resolve();
      },
      { maxInFlight: 10, concurrency: 1 },
    );
    await receiver.connection.ping();
    const trace = newTraceContext(null);
    await runInTrace(trace, async () => {
      await sender.commands.send(callId, { kind: 'status' });
      await sender.callLogs.append(noted(callId, 1));
    });
    await sender.callLogs.append(noted(callId, 2));
    await eventually(() => {
      const fields = { traceId: trace.traceId, callId };
      expect(seen).toEqual([fields, fields, {}]);
    });
  });
});

describe('the log of a call', () => {
  it('is appended with compare-and-set and read in order', async () => {
    const [a, b] = await Promise.all([bus(), bus()]);
    const [callId, other] = [newId(), newId()];
    expect(await a.callLogs.last(callId)).toBeNull();
    expect(await a.callLogs.read(callId)).toEqual([]);
    const first = await a.callLogs.append(noted(callId, 1), 0);
    await b.callLogs.append(noted(other, 1), 0);
    await expect(b.callLogs.append({ ...noted(callId, 1), epoch: 2 }, 0)).rejects.toBeInstanceOf(
      CallLogMovedError,
    );
    const second = await b.callLogs.append({ ...noted(callId, 2), epoch: 2 }, first);
    // A writer with an outdated position is rejected, and stored entries are not stored twice.
    await expect(a.callLogs.append(noted(callId, 2), first)).rejects.toMatchObject({
      code: 'call_log_moved',
    });
    await a.callLogs.append(noted(callId, 1), 0);
    expect(await a.callLogs.last(callId)).toMatchObject({ position: second, event: { seq: 2, epoch: 2 } });
    expect((await b.callLogs.read(callId)).map(({ event, position }) => [event.seq, position])).toEqual([
      [1, first],
      [2, second],
    ]);
    expect((await b.callLogs.read(callId, first)).map(({ position }) => position)).toEqual([second]);
    expect(await b.callLogs.read(callId, second)).toEqual([]);
  });

  it('is read completely when it is long', async () => {
    const a = await bus();
    const callId = newId();
    let position = 0;
    for (let seq = 1; seq <= 1200; seq += 1) position = await a.callLogs.append(noted(callId, seq), position);
    const log = await a.callLogs.read(callId);
    expect(log.map(({ event }) => event.seq)).toEqual(Array.from({ length: 1200 }, (_, i) => i + 1));
  });
});

describe('handover requests for calls', () => {
  it('are sent to one worker, which accepts or rejects them', async () => {
    const [a, b] = await Promise.all([bus(), bus()]);
    const [worker, request] = [newId(), { step: 'prepare' as const, callId: newId(), from: newId() }];
    expect(await a.handovers.request(worker, request)).toBeNull();
    const served: unknown[] = [];
    using _ = b.handovers.serve(worker, (received) => {
      served.push(received);
      if (served.length > 1) throw new Error('the bus failed');
      return Promise.resolve('no_capacity');
    });
    await b.connection.ping();
    expect(await a.handovers.request(worker, request)).toBe('no_capacity');
    expect(await a.handovers.request(worker, { ...request, step: 'take' })).toBe('refused');
    expect(served).toEqual([request, { ...request, step: 'take' }]);
  });
});

describe('call leases', () => {
  const holder = (workerId: string) => ({ workerId, url: `ws://${workerId}` });
  const announced = (workerId: string) => ({
    ...holder(workerId),
    capacity: 10,
    activeCalls: 3,
    draining: false,
  });

  it('are granted to one of many workers, renewed for their holder and end with the call', async () => {
    const [a, b] = await Promise.all([bus(), bus()]);
    const call = createdCall();
    const { callId } = call.spec;
    expect(await a.leases.find(callId)).toBeNull();
    const workers = ['w1', 'w2', 'w3'];
    await Promise.all(workers.map((workerId) => a.workers.announce(announced(workerId))));
    const taken = await Promise.all(
      workers.map((workerId, i) => (i % 2 ? a : b).leases.acquire(call, holder(workerId))),
    );
    const leases = taken.filter((lease) => typeof lease === 'object');
    expect(leases).toHaveLength(1);
    const lease = leases[0]!;
    expect(lease.epoch).toBe(1);
    expect(await b.leases.acquire(call, holder(lease.workerId))).toEqual({
      callId,
      workerId: lease.workerId,
      epoch: 1,
    });
    expect(await a.leases.find(callId)).toMatchObject({
      callId,
      epoch: 1,
      holder: holder(lease.workerId),
      call,
    });
    expect(await a.leases.holds(lease)).toBe(true);
    await a.leases.end(lease);
    expect(await a.leases.holds(lease)).toBe(false);
    expect(await b.leases.acquire(call, holder('w9'))).toBe('over');
    expect(await b.leases.takeOver((await b.leases.find(callId))!, holder('w9'))).toBeNull();
  });

  it('fail over to one of many workers, after which the former holder is fenced', async () => {
    const a = await bus();
    const call: CreatedCall = createdCall();
    call.spec.firstStage.systemPrompt = 'long and dull. '.repeat(10_000);
    const { callId } = call.spec;
    await a.workers.announce(announced('former'));
    const former = await a.leases.acquire(call, holder('former'));
    if (typeof former === 'string') throw new Error(former);
    const found = (await a.leases.find(callId))!;
    const next = await Promise.all(['w1', 'w2', 'w3'].map((id) => a.leases.takeOver(found, holder(id))));
    const [lease, ...others] = next.filter((taken) => taken !== null);
    expect(others).toEqual([]);
    expect(lease!.epoch).toBe(2);
    await a.leases.handOver(former);
    await a.leases.end(former);
    expect(await a.leases.holds(former)).toBe(false);
    expect(await a.leases.find(callId)).toMatchObject({ epoch: 2, holder: holder(lease!.workerId), call });
    await a.leases.handOver(lease!);
    expect(await a.leases.find(callId)).toMatchObject({ epoch: 2, holder: null, call });
    expect(await a.leases.acquire(call, holder('w8'))).toMatchObject({ epoch: 3, workerId: 'w8' });
  });

  it('pass to another worker when the holder has left the directory', async () => {
    const a = await bus();
    const call = createdCall();
    const record = announced('gone');
    await a.workers.announce(record);
    expect(await a.workers.list()).toContainEqual(record);
    await a.leases.acquire(call, holder('gone'));
    expect(await a.leases.acquire(call, holder('other'))).toBe('held');
    await a.workers.withdraw('gone');
    expect((await a.workers.list()).map((worker) => worker.workerId)).not.toContain('gone');
    expect(await a.leases.acquire(call, holder('other'))).toMatchObject({ epoch: 2, workerId: 'other' });
  });

  it('expose clock differences between a worker and the bus server', async () => {
    const a = await bus();
    await a.workers.announce(announced('punctual'));
    expect(await a.clock.check()).toBe('ok');
    for (const errorMs of [-10_000, 60_000]) {
      expect(await a.clock.check(Date.now() + errorMs)).toBe('degraded');
      expect(await a.clock.check()).toBe('ok');
    }
  });

  it('expire with the directory entry of a silent worker after about 10 s', async () => {
    const a = await bus();
    const record = { workerId: 'quiet', url: 'ws://x', capacity: 1, activeCalls: 0, draining: false };
    await a.workers.announce(record);
    await eventually(async () => expect(await a.workers.find('quiet')).toBeNull());
  });
});

describe('a ping of a worker', () => {
  it('counts a response that arrived while this process was busy', async () => {
    const [one, other] = await Promise.all([bus(), bus()]);
    const workerId = `worker-${newId()}`;
    open.push(await other.heartbeats.startThread(workerId));
    await eventually(async () => {
      other.heartbeats.send({ workerId, takesCalls: true });
      expect(await one.heartbeats.isAlive(workerId, AMPLE_MS)).toBe(true);
    });
    const alive = one.heartbeats.isAlive(workerId, 20);
    await setImmediate();
    // Blocks this thread for longer than the limit, while the other thread responds.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
    expect(await alive).toBe(true);
  });

  it('is answered by the main thread while its ping thread is disconnected', async () => {
    const one = await bus();
    await using proxy = await startProxy(() => 'works');
    await using other = await connectBus({ url: proxy.url, name: 'test', log: silentLogger });
    const workerId = `worker-${newId()}`;
    using _heartbeats = other.heartbeats.subscribe(workerId, {
      onHeartbeat: () => undefined,
      onReleased: () => undefined,
    });
    await using _thread = await other.heartbeats.startThread(workerId);
    await eventually(async () => {
      // The thread responds only to pings of a worker that runs.
      other.heartbeats.send({ workerId, takesCalls: true });
      expect(await one.heartbeats.isAlive(workerId, AMPLE_MS)).toBe(true);
    });
    const [, ofThread] = proxy.clients;
    proxy.refuse();
    ofThread?.destroy();
    await eventually(() => expect(ofThread?.destroyed).toBe(true));
    await eventually(async () => expect(await one.heartbeats.isAlive(workerId, 500)).toBe(true), 15_000);
  });
});

describe('records', () => {
  const brief = { workerId: 'brief', url: 'ws://x', capacity: 1, activeCalls: 0, draining: false };

  it('of workers are listed while they come and go', async () => {
    const [a, b] = [await bus(), await bus()];
    for (let i = 0; i < 300; i += 1) {
      await a.workers.announce(brief);
      await Promise.all([b.workers.list(), a.workers.announce(brief), a.workers.withdraw('brief')]);
    }
    expect((await b.workers.list()).map(({ workerId }) => workerId)).not.toContain('brief');
  });

  it('of SIP dialogs are listed by worker, without those that were removed', async () => {
    const { dialogs } = await bus();
    const [other, removed] = [newId(), newId()].map((callId) => ({ callId, epoch: 1, state: 'sealed' }));
    for (const dialog of [other!, removed!]) await dialogs.put('phone worker', dialog);
    expect(await dialogs.of('phone worker')).toEqual(expect.arrayContaining([other, removed]));
    await dialogs.remove('phone worker', removed!.callId);
    expect(await dialogs.of('phone worker')).toEqual([other]);
    expect(await dialogs.workers()).toEqual(['phone worker']);
    await dialogs.remove('phone worker', other!.callId);
    await dialogs.remove('phone worker', other!.callId);
    expect(await dialogs.workers()).toEqual([]);
  });
});

describe('a connection', () => {
  it('is re-established soon if a server closes it within the handshake', async () => {
    await using proxy = await startProxy((connection) => (connection === 2 ? 'closes' : 'works'));
    await using a = await connectBus({ url: proxy.url, name: 'test', log: silentLogger });
    for (const client of proxy.clients) client.destroy();
    await eventually(() => expect(proxy.clients).toHaveLength(2));
    await eventually(() => a.connection.ping(), 10_000);
    expect(proxy.clients).toHaveLength(3);
  });

  it('reports that streams get no replicas from a server without a cluster', async () => {
    const { connection } = await bus();
    const errors: string[] = [];
    const log = createLogger(
      { service: 'test', level: 'error', logPii: false },
      { write: (line) => void errors.push(line) },
    );
    open.push(await connectBus({ url: nats.url, name: 'test', replicas: 3, log }));
    if (!(connection instanceof Connection)) throw new Error('not a connection');
    const replicas: number[] = [];
    for await (const { config } of (await connection.manager()).streams.list())
      replicas.push(config.num_replicas);
    expect(new Set(replicas)).toEqual(new Set([1]));
    expect(errors).toHaveLength(replicas.length);
    expect(errors[0]).toContain('failed to change number of stream replicas');
  });

  it('is refused with the cause when the server runs without JetStream', async () => {
    const port = await findFreePorts(1);
    const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
    try {
      const url = `nats://127.0.0.1:${port}`;
      await eventually(async () => (await connectNats({ servers: url })).close());
      // Other servers that have it get 20 s to respond.
      await expect(connectBus({ url, name: 'test', log: silentLogger })).rejects.toThrow(
        'the NATS server runs without JetStream',
      );
    } finally {
      server.kill();
    }
  });

  it('is re-established after a time in which the server rejected its credentials', async () => {
    const rejections: string[] = [];
    const log = createLogger(
      { service: 'test', level: 'error', logPii: false },
      { write: (line) => void rejections.push(line) },
    );
    const { connection, ...bus } = await connectBus({ url: nats.url, name: 'test', log });
    open.push(bus);
    let attempts = 0;
    void (async () => {
      if (!(connection instanceof Connection)) throw new Error('not a connection');
      for await (const { type } of connection.nats.status()) if (type === Events.Error) attempts += 1;
    })();
    const file = join(servers.directory, 'run/nats.conf');
    const configuration = await readFile(file, 'utf8');
    const configure = async (text: string): Promise<void> => {
      await writeFile(file, text);
      process.kill(nats.pid ?? 0, 'SIGHUP');
    };
    await configure(configuration.replace(/token: "[^"]*"/u, 'token: "another"'));
    await eventually(() => expect(attempts).toBeGreaterThan(3));
    expect(rejections).toEqual([
      expect.stringContaining('message bus rejected the credentials of NATS_URL; retrying'),
    ]);
    await configure(configuration);
    await eventually(() => connection.ping());
  });
});
