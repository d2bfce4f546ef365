import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallSpec } from '@calls/api-contract/call-spec';
import { delay, systemClock } from '@calls/foundation/clock';
import { currentTrace, newTraceContext, traceparentOf } from '@calls/foundation/trace-context';
import { callSpec, stageSpec } from '@calls/testkit/call-spec';
import { requireQuick } from '@calls/testkit/long-form';
import { eventually } from '../support/eventually.ts';
import type { MediaWorkerProcess } from '../support/media-worker-process.ts';
import { WorkerPool } from '../support/worker-pool.ts';
import { WritingClient } from '../support/writing-client.ts';

const MEDIA_CAPACITY = 10;
const REJOIN_PAUSE_MS = 100;

const open: AsyncDisposable[] = [];
/** The traces of the creation and of the events of each call, by call id. */
const traceIds = new Map<string, { created: string; ofEvents: (string | undefined)[] }>();

// Longer than a client needs to return on a busy machine.
const RECONNECT_GRACE_MS = '12000';
const pool = await WorkerPool.open({ MEDIA_CAPACITY: String(MEDIA_CAPACITY), RECONNECT_GRACE_MS });
pool.bus.callLogs.consume(
  'traces',
  ({ callId }) => {
    traceIds.get(callId)?.ofEvents.push(currentTrace()?.traceId);
    return Promise.resolve();
  },
  { maxInFlight: 100, concurrency: 1 },
);
beforeEach(() => pool.atLeast(2));
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
});
afterAll(() => pool[Symbol.asyncDispose]());

/** A text call, run by the worker that pulled it from the queue. */
async function createCall(overrides: Partial<CallSpec> = {}): Promise<CallSpec> {
  const spec = callSpec({
    createdAtMs: Date.now(),
    initialOutputMedium: 'text',
    firstStage: stageSpec({ model: 'svc-local' }),
    ...overrides,
  });
  const origin = newTraceContext(null);
  traceIds.set(spec.callId, { created: origin.traceId, ofEvents: [] });
  const trace = traceparentOf(origin);
  // On a busy machine the confirmation may come too late. Publishing again is harmless: the bus stores the call once.
  await eventually(() => pool.queue(spec, { trace }));
  // Before a worker serves the call, a worker that receives its client would take it over.
  await eventually(async () => expect(await pool.bus.commands.isServed(spec.callId)).toBe(true));
  return spec;
}

/** A call that this worker runs. */
async function createCallAt(worker: MediaWorkerProcess, overrides?: Partial<CallSpec>): Promise<CallSpec> {
  for (;;) {
    const spec = await createCall(overrides);
    if ((await pool.workersOf(spec))[0] === worker) return spec;
  }
}

async function join(at: MediaWorkerProcess, call: CallSpec): Promise<WritingClient> {
  const client = new WritingClient(`${at.url}/join/${call.callId}?token=${await pool.tokenFor(call)}`);
  open.push(client);
  return client;
}

async function logOf({ callId }: CallSpec) {
  const log = await pool.bus.callLogs.read(callId);
  expect(log.map(({ event }) => event.seq)).toEqual(log.map((_, i) => i + 1));
  const types = log.map(({ event }) => event.body.type);
  return {
    events: log.map(({ event }) => event),
    ended: log.flatMap(({ event }) => (event.body.type === 'ended' ? [event.body.endReason] : [])),
    types,
  };
}

/** Waits for a log entry. A client may receive a result earlier, but only the log survives a killed worker. */
async function logged(spec: CallSpec, type: string): Promise<void> {
  await eventually(async () => expect((await logOf(spec)).types).toContain(type));
}

async function ended(spec: CallSpec): Promise<string[]> {
  await eventually(async () => expect((await logOf(spec)).ended).toHaveLength(1));
  return (await logOf(spec)).ended;
}

describe('a join request', () => {
  it('to another worker is forwarded to the worker that runs the call', async () => {
    const spec = await createCall();
    const [owner, other] = await pool.workersOf(spec);
    const client = await join(other, spec);
    await client.joined();
    client.write('Hello there');
    await client.answered(1);
    const second = await join(other, spec);
    expect(await second.closed).toBe(4409);
    client.hangUp();
    expect(await ended(spec)).toEqual(['hangup']);
    expect((await logOf(spec)).types).not.toContain('taken_over');
    expect(await (await join(owner, spec)).closed).toBe(4404);
  });
});

describe('a joined call', () => {
  it('fails over with its history when its worker is killed; ends with zero retention; can be joined if unjoined', async () => {
    const spec = await createCall();
    const [owner, other] = await pool.workersOf(spec);
    const [unjoined, unstored] = [await createCallAt(owner), await createCallAt(owner, { retention: 'zdr' })];
    const client = await join(owner, spec);
    await client.joined();
    client.write('My name is Grete Hermann');
    await client.answered(1);
    await logged(spec, 'message_added');
    await (await join(owner, unstored)).joined();
    await logged(unstored, 'joined');
    await pool.lose(owner);
    expect(await client.closed).toBe(1006);
    await Promise.all([continues(spec, other), canBeJoined(unjoined, other), isOver(unstored, other)]);
  });

  async function continues(spec: CallSpec, at: MediaWorkerProcess): Promise<void> {
    const startMs = performance.now();
    const again = await join(at, spec);
    await again.answered(1);
    requireQuick(performance.now() - startMs, 6000);
    again.write('What did I say?');
    await again.answered(2);
    again.hangUp();
    expect(await ended(spec)).toEqual(['hangup']);
    const { events, types } = await logOf(spec);
    expect(types.filter((type) => type === 'joined')).toHaveLength(1);
    expect(types.filter((type) => type === 'taken_over')).toHaveLength(1);
    const { created, ofEvents } = traceIds.get(spec.callId)!;
    await eventually(() => expect(ofEvents).toEqual(events.map(() => created)));
    const indices = events.flatMap(({ body }) => (body.type === 'message_added' ? [body.index] : []));
    expect(indices).toEqual(indices.map((_, i) => i));
    expect(events.at(-1)?.body).toMatchObject({ joinedAtMs: events[0]?.wallClockMs });
  }

  async function canBeJoined(unjoined: CallSpec, at: MediaWorkerProcess): Promise<void> {
    const startMs = performance.now();
    const client = await join(at, unjoined);
    await client.joined();
    requireQuick(performance.now() - startMs, 4000);
    client.hangUp();
    expect(await ended(unjoined)).toEqual(['hangup']);
    expect((await logOf(unjoined)).types.slice(0, 2)).toEqual(['taken_over', 'joined']);
  }

  async function isOver(unstored: CallSpec, at: MediaWorkerProcess): Promise<void> {
    expect(await (await join(at, unstored)).closed).toBe(4404);
    expect(await ended(unstored)).toEqual(['system_error']);
    await eventually(async () =>
      expect(await pool.bus.leases.find(unstored.callId)).toMatchObject({ holder: null, call: null }),
    );
    expect(await (await join(at, unstored)).closed).toBe(4404);
  }

  it('fails over when its worker freezes, and is unaffected when that worker resumes', async () => {
    const spec = await createCall();
    const [owner, other] = await pool.workersOf(spec);
    const client = await join(owner, spec);
    await client.joined();
    client.write('One');
    await client.answered(1);
    owner.signal('SIGSTOP');
    const again = await join(other, spec);
    await again.answered(1);
    owner.signal('SIGCONT');
    // Output of the first worker is now discarded.
    client.write('Of the past');
    again.write('Two');
    await again.answered(2);
    expect(await client.closed).not.toBe(1000);
    again.hangUp();
    expect(await ended(spec)).toEqual(['hangup']);
    expect(JSON.stringify(await logOf(spec))).not.toContain('Of the past');
  });

  it('closes its connection with 1012 when its worker stops, and continues on another worker', async () => {
    const joined = await createCall();
    const [owner, other] = await pool.workersOf(joined);
    const unjoined = await createCallAt(owner);
    const client = await join(owner, joined);
    await client.joined();
    const lost = pool.lose(owner, 'SIGTERM');
    expect(await client.closed).toBe(1012);
    const again = await join(other, joined);
    await again.joined();
    await lost;
    const first = await join(other, unjoined);
    await first.joined();
    for (const each of [again, first]) each.hangUp();
    expect(await ended(joined)).toEqual(['hangup']);
    expect(await ended(unjoined)).toEqual(['hangup']);
  });

  it('continues on the last remaining worker, even beyond its capacity, when the others stop', async () => {
    const [last, ...others] = pool.workers;
    if (!last) throw new Error('there is no worker');
    const calls: { spec: CallSpec; client: WritingClient; moves: number }[] = [];
    let isOver = false;
    await using clients = new AsyncDisposableStack();
    // Runs even if the test fails.
    clients.defer(() => {
      isOver = true;
    });
    const joinAgain = (call: (typeof calls)[number]): void => {
      void call.client.closed.then(async () => {
        await delay(systemClock, REJOIN_PAUSE_MS);
        if (isOver) return;
        call.moves += 1;
        call.client = await join(last, call.spec);
        joinAgain(call);
      });
    };
    while (calls.length < MEDIA_CAPACITY + 2) {
      const spec = await createCall();
      const call = { spec, client: await join(last, spec), moves: 0 };
      await call.client.joined();
      calls.push(call);
      joinAgain(call);
    }
    await Promise.all(others.map((worker) => pool.lose(worker, 'SIGTERM')));
    for (const call of calls) {
      let wrote: WritingClient | null = null;
      await eventually(() => {
        const { client } = call;
        expect(client.isStarted).toBe(true);
        if (wrote !== client) client.write('Are you still there');
        wrote = client;
        const asked = client.said.indexOf('user: Are you still there');
        const after = asked === -1 ? [] : client.said.slice(asked);
        expect(after.some((line) => line.startsWith('agent'))).toBe(true);
      });
    }
    expect(calls.some(({ moves }) => moves > 0)).toBe(true);
  });

  it('is unaffected by a redelivery from the queue', async () => {
    const spec = await createCall();
    const [owner] = await pool.workersOf(spec);
    const client = await join(owner, spec);
    await client.joined();
    client.write('One');
    await client.answered(1);
    const created = pool.created(spec);
    // Its own worker receives at least one of them.
    for (let again = 0; again < 9; again += 1)
      await pool.bus.createdCalls.publish(created, `${spec.callId} ${again}`);
    for (let times = 2; times < 6; times += 1) {
      client.write(`Number ${times}`);
      await client.answered(times);
    }
    client.hangUp();
    expect(await ended(spec)).toEqual(['hangup']);
    const { events, types } = await logOf(spec);
    expect(types).not.toContain('taken_over');
    const indices = events.flatMap(({ body }) => (body.type === 'message_added' ? [body.index] : []));
    expect(indices).toEqual(indices.map((_, i) => i));
  });

  it('accepts its client again while the earlier connection is dead but still open', async () => {
    const spec = await createCall();
    const [owner, other] = await pool.workersOf(spec);
    const first = await join(owner, spec);
    await first.joined();
    first.fallSilent();
    const again = await eventually(async () => {
      const client = await join(other, spec);
      expect(await Promise.race([client.closed, client.firstMessage])).toBe('message');
      return client;
    });
    again.hangUp();
    expect(await ended(spec)).toEqual(['hangup']);
  });

  it('waits for its client when only the connection was lost', async () => {
    const [spec, left] = [await createCall(), await createCall()];
    const [owner] = await pool.workersOf(spec);
    for (const each of [spec, left]) await (await join(owner, each)).joined();
    for (const client of open.splice(0)) await client[Symbol.asyncDispose]();
    const again = await join(owner, spec);
    await again.joined();
    again.hangUp();
    expect(await ended(spec)).toEqual(['hangup']);
    expect(await ended(left)).toEqual(['connection_error']);
  });
});
