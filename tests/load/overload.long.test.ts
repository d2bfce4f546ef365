import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import { silentLogger } from '@calls/foundation/logger';
import type { Stack } from '@calls/local-stack/stack';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { seededRandom } from '@calls/audio/noise';
import { WebSocket } from 'ws';
import { BenchCall, noMeasurements } from '../bench/bench-call.ts';
import { websocketMedium } from '../bench/callers/websocket-medium.ts';
import { distributionOf, type Distribution } from '../bench/distribution.ts';
import { Heartbeat } from '../bench/heartbeat.ts';
import { MetricsReading } from '../bench/scrape.ts';
import { prepareScript } from '../bench/utterances.ts';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestStack } from '../support/start-stack.ts';

const CAPACITY = 20;
/** Slots for calls without priority; the last tenth is reserved. */
const STANDARD = 18;
const CLIENTS = 30;
const MEDIUM = websocketMedium(16_000);
const MEASURED_MS = 9000;
/** Tolerates other load on the machine; a real overload adds seconds. */
const TOLERANCE_MS = 200;
const PRIORITY = { admissionPreference: 'CALL_ADMISSION_PREFERENCE_PRIORITY' };

const standIn = await startAiStandIn({ sttDelayMs: 50, llmFirstTokenMs: 50, ttsFirstAudioMs: 50 });
await using engine = await createSileroEngine({ log: silentLogger });
const script = await prepareScript(engine, MEDIUM);
afterAll(async () => {
  await standIn[Symbol.asyncDispose]();
});

function startStack(admission: Readonly<Record<string, string>>): Promise<Stack> {
  return startTestStack({ env: { ...standIn.engineEnv, ...admission } });
}

const passes = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function worker(stack: Stack): Promise<MetricsReading> {
  return MetricsReading.of(stack.ports.metrics + 1);
}

/** Callers that talk with agents continuously. */
class Talkers {
  readonly measurements = noMeasurements();
  readonly #calls: BenchCall[] = [];
  readonly #random = seededRandom(1);
  readonly #heartbeat = new Heartbeat((nowMs) => {
    for (const call of this.#calls) call.pump(nowMs);
  });

  async add(call: Call): Promise<void> {
    const { measurements } = this;
    const common = { medium: MEDIUM, script, measurements, random: this.#random };
    this.#calls.push(await BenchCall.join({ createCall: () => Promise.resolve(call), ...common }));
  }

  /** Response latencies during the next MEASURED_MS. */
  async measure(): Promise<Distribution> {
    const { measurements } = this;
    measurements.answerMs.length = 0;
    measurements.isOpen = true;
    await passes(MEASURED_MS);
    measurements.isOpen = false;
    return distributionOf(measurements.answerMs);
  }

  async hangUp(count = this.#calls.length): Promise<void> {
    await Promise.all(this.#calls.splice(0, count).map((call) => call.hangUp()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hangUp();
    this.#heartbeat.stop();
  }
}

/** A client that retries joining until it is accepted or the call no longer exists. */
class Waiter implements Disposable {
  /** Close codes of its attempts. */
  readonly refusals: number[] = [];
  isIn = false;
  #socket: WebSocket | undefined;
  #stopped = false;

  constructor({ joinUrl }: Call) {
    void this.#run(joinUrl ?? '');
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    this.#socket?.close(1000);
  }

  async #run(joinUrl: string): Promise<void> {
    while (!this.#stopped && !this.isIn && this.refusals.at(-1) !== 4404) {
      this.refusals.push(...(await this.#tryOnce(joinUrl)));
      await passes(200);
    }
  }

  /** Resolves when the client has joined and receives the greeting. */
  #tryOnce(joinUrl: string): Promise<number[]> {
    return new Promise((resolve) => {
      const socket = new WebSocket(joinUrl, { perMessageDeflate: false });
      this.#socket = socket;
      socket.on('message', (_, isBinary) => {
        if (!isBinary) return;
        this.isIn = true;
        resolve([]);
      });
      socket.on('close', (code) => resolve([code]));
      socket.on('error', () => resolve([0]));
    });
  }
}

const waiting = (waiters: readonly Waiter[]): Waiter[] => waiters.filter(({ isIn }) => !isIn);

describe('a worker at 150 % of its capacity', () => {
  it('preserves the latency of admitted calls, and queues others with priority calls first', async () => {
    // This test measures slots; another one covers the lag of a busy worker.
    await using stack = await startStack({ MEDIA_CAPACITY: String(CAPACITY), OVERLOAD_DELAY_MS: '0' });
    const api = new Api(stack);
    await using undo = new AsyncDisposableStack();
    const talkers = undo.use(new Talkers());
    const join = (call: Call): Waiter => undo.use(new Waiter(call));
    const slotsUsed = async (): Promise<number> => (await worker(stack)).value('calls_slots_used');

    for (let i = 0; i < STANDARD; i += 1) await talkers.add(await api.createCall());
    await passes(3000);
    const before = await talkers.measure();

    const others = await Promise.all(
      Array.from({ length: CLIENTS - STANDARD }, () => api.createCall({ joinTimeout: '120s' })),
    );
    const waiters = others.map(join);
    // One client keeps retrying; one call is never joined.
    const tried = await api.createCall({ joinTimeout: '6s' });
    const untried = await api.createCall({ joinTimeout: '6s' });
    const trying = join(tried);
    const during = await talkers.measure();
    process.stdout.write(
      `answers within p50 ${before.p50}, p95 ${before.p95} ms (${before.count}); at ${CLIENTS} clients for ${STANDARD} slots ` +
        `p50 ${during.p50}, p95 ${during.p95} ms (${during.count})\n`,
    );
    expect(before.count).toBeGreaterThan(STANDARD / 2);
    expect(during.count).toBeGreaterThan(before.count / 2);
    expect(during.p95).toBeLessThan(before.p95 * 1.25 + TOLERANCE_MS);
    expect(talkers.measurements.lost).toEqual([]);
    expect(waiting(waiters)).toHaveLength(waiters.length);
    for (const { refusals } of waiters) expect(new Set(refusals)).toEqual(new Set([4503]));
    expect(await slotsUsed()).toBe(STANDARD);

    // The last tenth is reserved for priority calls.
    const urgent = [await api.createCall(PRIORITY), await api.createCall(PRIORITY)].map(join);
    await eventually(() => expect(waiting(urgent)).toEqual([]), 10_000);
    const third = join(await api.createCall(PRIORITY));
    await passes(500);
    expect([third.isIn, await slotsUsed()]).toEqual([false, CAPACITY]);
    await talkers.hangUp(1);
    await eventually(() => expect(third.isIn).toBe(true), 10_000);
    expect(waiting(waiters)).toHaveLength(waiters.length);

    // 14 of 18 slots are left.
    await talkers.hangUp(6);
    await eventually(() => expect(waiting(waiters)).toHaveLength(waiters.length - 4), 15_000);
    await talkers.hangUp();
    await eventually(() => expect(waiting(waiters)).toEqual([]), 15_000);

    expect(await api.endedCall(tried.callId)).toMatchObject({ endReason: 'system_error' });
    expect(await api.endedCall(untried.callId)).toMatchObject({ endReason: 'unjoined' });
    expect(trying.refusals).toContain(4503);
  }, 150_000);
});

describe('a lagging worker', () => {
  it('accepts only priority calls until its load decreases', async () => {
    // This limit makes the worker busy with 1 % of the calls that a core can run.
    await using stack = await startStack({
      MEDIA_CAPACITY: '100',
      OVERLOAD_DELAY_MS: '1',
      OVERLOAD_BUSY_PERCENT: '1',
    });
    const api = new Api(stack);
    await using undo = new AsyncDisposableStack();
    const talkers = undo.use(new Talkers());
    const paused = async (): Promise<number> => (await worker(stack)).value('calls_admission_paused');
    for (let i = 0; i < 5; i += 1) await talkers.add(await api.createCall());
    await eventually(async () => expect(await paused()).toBe(1), 15_000);
    const standard = undo.use(new Waiter(await api.createCall()));
    const urgent = undo.use(new Waiter(await api.createCall(PRIORITY)));
    await eventually(() => expect(urgent.isIn).toBe(true), 10_000);
    expect(standard.isIn).toBe(false);
    await talkers.hangUp(2);
    await eventually(() => expect(standard.isIn).toBe(true), 15_000);
    expect(talkers.measurements.lost).toEqual([]);
  }, 90_000);
});
