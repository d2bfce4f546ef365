import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallSpec, ServerMessage } from '@calls/api-contract';
import { connectBus, createCallSeal, type Bus } from '@calls/bus';
import { currentTrace, newTraceContext, silentLogger, traceparentOf } from '@calls/foundation';
import { createJoinTokens } from '@calls/join-token';
import { callSpec, stageSpec } from '@calls/testkit';
import { WebSocket } from 'ws';
import { eventually } from '../support/eventually.ts';
import { MediaWorkerProcess } from '../support/media-worker-process.ts';
import { ScratchServers, type ScratchServer } from '../support/scratch-servers.ts';

const SECRET = 'a secret for tests only';
const tokens = createJoinTokens([SECRET]);
const seal = createCallSeal([SECRET]);

let servers: ScratchServers;
let nats: ScratchServer;
let bus: Bus;
let folder: string;
const open: AsyncDisposable[] = [];
/** The trace that each call was created in, and those of its events, by the call's id. */
const traceIds = new Map<string, { created: string; ofEvents: (string | undefined)[] }>();

beforeAll(async () => {
  servers = await ScratchServers.open();
  nats = await servers.nats();
  bus = await connectBus({ url: nats.url, name: 'test', log: silentLogger });
  await bus.consumeCallEvents(
    'traces',
    ({ callId }) => {
      traceIds.get(callId)?.ofEvents.push(currentTrace()?.traceId);
      return Promise.resolve();
    },
    { maxInFlight: 100, concurrency: 1 },
  );
  folder = await mkdtemp(join(tmpdir(), 'calls-lost-workers-'));
  await Promise.all([startWorker(), startWorker(), startWorker()]);
});
beforeEach(ready, 60_000);
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
});
afterAll(async () => {
  for (const worker of workers.values()) await worker[Symbol.asyncDispose]();
  await bus[Symbol.asyncDispose]();
  await servers.close();
  await rm(folder, { recursive: true, force: true });
});

/** Those that were started and not stopped by a test, by what their ids begin with. */
const workers = new Map<string, MediaWorkerProcess>();
let started = 0;

async function startWorker(): Promise<void> {
  started += 1;
  const id = `w${started}`;
  const worker = await MediaWorkerProcess.start(nats.url, {
    WORKER_ID: id,
    JOIN_TOKEN_SECRET: SECRET,
    DATA_DIR: folder,
    DRAIN_LIMIT_MS: '300',
    RECONNECT_GRACE_MS: '1500',
  });
  workers.set(id, worker);
}

/** At least two workers are there. */
async function ready(): Promise<void> {
  while (workers.size < 2) await startWorker();
}

/** The worker that holds the call, and another one. */
async function workersOf({ callId }: CallSpec): Promise<[MediaWorkerProcess, MediaWorkerProcess]> {
  const holder = (await bus.leases.find(callId))?.holder?.workerId ?? '';
  const isHolder = (id: string): boolean => holder.startsWith(`${id}-`);
  const owner = [...workers].find(([id]) => isHolder(id));
  const other = [...workers].find(([id]) => !isHolder(id));
  if (!owner || !other) throw new Error(`${holder} has the call`);
  return [owner[1], other[1]];
}

/** Ends it the hard way, or as told; it is no worker of ours any more. */
async function lose(worker: MediaWorkerProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  for (const [id, each] of workers) if (each === worker) workers.delete(id);
  worker.signal(signal);
  await worker.ended();
}

/** A call whose agent is written to and writes; held by whoever has it from the queue. */
async function createCall(overrides: Partial<CallSpec> = {}): Promise<CallSpec> {
  const spec = callSpec({
    createdAtMs: Date.now(),
    initialOutputMedium: 'text',
    firstStage: stageSpec({ model: 'svc-local' }),
    ...overrides,
  });
  const origin = newTraceContext(null);
  traceIds.set(spec.callId, { created: origin.traceId, ofEvents: [] });
  const created = { admissionClass: 'standard', spec, trace: traceparentOf(origin) } as const;
  await bus.publishCreatedCall(seal.seal(created), spec.callId);
  await eventually(async () => expect((await bus.leases.find(spec.callId))?.holder).toBeTruthy());
  return spec;
}

/** A client that writes. */
class Client implements AsyncDisposable {
  readonly messages: ServerMessage[] = [];
  readonly closed: Promise<number>;
  /** Something. */
  readonly told: Promise<'told'>;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.messages.push(JSON.parse((data as Buffer).toString()) as ServerMessage);
    });
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    this.told = new Promise((resolve) => socket.once('message', () => resolve('told')));
  }

  static async join(at: MediaWorkerProcess, { callId }: CallSpec): Promise<Client> {
    const token = await tokens.sign({ callId, expiresAtMs: Date.now() + 60_000 });
    const client = new Client(new WebSocket(`${at.url}/join/${callId}?token=${token}`));
    open.push(client);
    return client;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#socket.terminate();
    return Promise.resolve();
  }

  write(text: string): void {
    this.#socket.send(JSON.stringify({ type: 'user_text_message', text }));
  }

  /** As a network that goes away: nothing comes back any more, and nobody says so. */
  fallSilent(): void {
    this.#socket.pause();
  }

  hangUp(): void {
    this.#socket.close(1000);
  }

  get isStarted(): boolean {
    return this.messages.some(({ type }) => type === 'call_started');
  }

  /** Final transcripts. */
  get said(): string[] {
    return this.messages.flatMap((message) =>
      message.type === 'transcript' && message.final ? [`${message.role}: ${message.text ?? ''}`] : [],
    );
  }

  async joined(): Promise<void> {
    await eventually(() => expect(this.isStarted).toBe(true));
  }

  async answered(times: number): Promise<void> {
    await eventually(() =>
      expect(this.said.filter((line) => line.startsWith('agent')).length).toBeGreaterThanOrEqual(times),
    );
  }
}

async function logOf({ callId }: CallSpec) {
  const log = await bus.readCallLog(callId);
  expect(log.map(({ event }) => event.seq)).toEqual(log.map((_, i) => i + 1));
  const types = log.map(({ event }) => event.body.type);
  return {
    events: log.map(({ event }) => event),
    ended: log.flatMap(({ event }) => (event.body.type === 'ended' ? [event.body.endReason] : [])),
    types,
  };
}

async function ended(spec: CallSpec): Promise<string[]> {
  await eventually(async () => expect((await logOf(spec)).ended).toHaveLength(1), 15_000);
  return (await logOf(spec)).ended;
}

describe('a join', () => {
  it('at another worker is passed through to the one that has the call', async () => {
    const spec = await createCall();
    const [owner, other] = await workersOf(spec);
    const client = await Client.join(other, spec);
    await client.joined();
    client.write('Hello there');
    await client.answered(1);
    const second = await Client.join(other, spec);
    expect(await second.closed).toBe(4409);
    client.hangUp();
    expect(await ended(spec)).toEqual(['hangup']);
    expect((await logOf(spec)).types).not.toContain('taken_over');
    expect(await (await Client.join(owner, spec)).closed).toBe(4404);
  });

  it('of a call whose worker was killed before goes on at another one, at once', async () => {
    const spec = await createCall();
    const [owner, other] = await workersOf(spec);
    await lose(owner);
    const startMs = performance.now();
    const client = await Client.join(other, spec);
    await client.joined();
    expect(performance.now() - startMs).toBeLessThan(4000);
    client.hangUp();
    expect(await ended(spec)).toEqual(['hangup']);
    expect((await logOf(spec)).types.slice(0, 2)).toEqual(['taken_over', 'joined']);
  });
});

describe('a joined call', () => {
  it('goes on at another worker when its own is killed, and knows what was said', async () => {
    const spec = await createCall();
    const [owner, other] = await workersOf(spec);
    const client = await Client.join(owner, spec);
    await client.joined();
    client.write('My name is Grete Hermann');
    await client.answered(1);
    await lose(owner);
    expect(await client.closed).toBe(1006);
    const startMs = performance.now();
    const again = await Client.join(other, spec);
    await again.answered(1);
    expect(performance.now() - startMs).toBeLessThan(6000);
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
  });

  it('of which no word is kept ends with its worker, and nobody is led to it any more', async () => {
    const spec = await createCall({ retention: 'zdr' });
    const [owner, other] = await workersOf(spec);
    const client = await Client.join(owner, spec);
    await client.joined();
    await lose(owner);
    expect(await (await Client.join(other, spec)).closed).toBe(4404);
    expect(await ended(spec)).toEqual(['system_error']);
    expect(await bus.leases.find(spec.callId)).toMatchObject({ holder: null, call: null });
    expect(await (await Client.join(other, spec)).closed).toBe(4404);
  });

  it('goes on at another worker when its own stands still, which does no harm when it wakes', async () => {
    const spec = await createCall();
    const [owner, other] = await workersOf(spec);
    const client = await Client.join(owner, spec);
    await client.joined();
    client.write('One');
    await client.answered(1);
    owner.signal('SIGSTOP');
    const again = await Client.join(other, spec);
    await again.answered(1);
    owner.signal('SIGCONT');
    // What the first one says now goes nowhere.
    client.write('Of the past');
    again.write('Two');
    await again.answered(2);
    expect(await client.closed).not.toBe(1000);
    again.hangUp();
    expect(await ended(spec)).toEqual(['hangup']);
    expect(JSON.stringify(await logOf(spec))).not.toContain('Of the past');
  });

  it('is told to come back by a worker that stops, and goes on at another one', async () => {
    const joined = await createCall();
    const [owner, other] = await workersOf(joined);
    let unjoined: CallSpec;
    do unjoined = await createCall();
    while ((await workersOf(unjoined))[0] !== owner);
    const client = await Client.join(owner, joined);
    await client.joined();
    const lost = lose(owner, 'SIGTERM');
    expect(await client.closed).toBe(1012);
    await lost;
    const again = await Client.join(other, joined);
    await again.joined();
    const first = await Client.join(other, unjoined);
    await first.joined();
    for (const each of [again, first]) each.hangUp();
    expect(await ended(joined)).toEqual(['hangup']);
    expect(await ended(unjoined)).toEqual(['hangup']);
  });

  it('is not disturbed when the queue delivers it again', async () => {
    const spec = await createCall();
    const [owner] = await workersOf(spec);
    const client = await Client.join(owner, spec);
    await client.joined();
    client.write('One');
    await client.answered(1);
    const created = seal.seal({ admissionClass: 'standard', spec });
    // Its own worker gets at least one of them.
    for (let again = 0; again < 9; again += 1)
      await bus.publishCreatedCall(created, `${spec.callId} ${again}`);
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

  it('is given to its client again, whose earlier connection is dead without a word', async () => {
    const spec = await createCall();
    const [owner, other] = await workersOf(spec);
    const first = await Client.join(owner, spec);
    await first.joined();
    first.fallSilent();
    const again = await eventually(async () => {
      const client = await Client.join(other, spec);
      expect(await Promise.race([client.closed, client.told])).toBe('told');
      return client;
    });
    again.hangUp();
    expect(await ended(spec)).toEqual(['hangup']);
  });

  it('waits for its client where only the connection was lost', async () => {
    const [spec, left] = [await createCall(), await createCall()];
    const [owner] = await workersOf(spec);
    for (const each of [spec, left]) await (await Client.join(owner, each)).joined();
    for (const client of open.splice(0)) await client[Symbol.asyncDispose]();
    const again = await Client.join(owner, spec);
    await again.joined();
    again.hangUp();
    expect(await ended(spec)).toEqual(['hangup']);
    expect(await ended(left)).toEqual(['connection_error']);
  });
});
