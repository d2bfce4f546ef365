import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import {
  ADMISSION_CLASSES,
  type AdmissionClass,
  type CreatedCall,
} from '@calls/api-contract/bus/created-call';
import type { Bus } from '@calls/bus/bus';
import { systemClock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { Admission } from '@calls/media-worker/admission/admission';
import { Slots } from '@calls/media-worker/admission/slots';
import { callSpec } from '@calls/testkit/call-spec';
import { requireQuick } from '@calls/testkit/long-form';
import { eventually } from '../support/eventually.ts';
import { connectTestBus } from '../support/connect-test-bus.ts';
import { ScratchServers } from '../support/scratch-servers.ts';

const undo: (() => PromiseLike<void>)[] = [];

const servers = await ScratchServers.open();
const nats = await servers.nats();
const api = await bus();
afterEach(async () => {
  for (const step of undo.splice(1).reverse()) await step();
});
afterAll(async () => {
  for (const step of undo) await step();
  await servers.close();
});

async function bus(): Promise<Bus> {
  const connected = await connectTestBus(nats.url);
  undo.push(() => connected[Symbol.asyncDispose]());
  return connected;
}

interface Admitted {
  workerId: string;
  call: CreatedCall;
  epoch: number;
}

/** The admission of one media-worker, with its own connection. */
async function worker(capacity: number, admitted: Admitted[]) {
  const own = await bus();
  const holder = { workerId: newId(), url: 'ws://worker.test' };
  await own.workers.announce({ ...holder, capacity, activeCalls: 0, draining: false });
  const slots = new Slots(capacity);
  const admission = new Admission({
    bus: own,
    holder,
    slots,
    offers: () => true,
    clock: systemClock,
    log: silentLogger,
    onWaited: () => undefined,
    onAdmitted: (delivery, { workerId, epoch }) => {
      admitted.push({ workerId, call: delivery.call, epoch });
      delivery.ack();
      return Promise.resolve();
    },
  });
  undo.push(() => admission.stop());
  return { ...holder, slots, admission };
}

/** Publishes calls and returns their ids in order of creation. */
async function publish(...classes: AdmissionClass[]): Promise<string[]> {
  const calls = classes.map((admissionClass): CreatedCall => ({
    admissionClass,
    spec: callSpec({ createdAtMs: Date.now() }),
  }));
  await Promise.all(calls.map((call) => api.createdCalls.publish(call, call.spec.callId)));
  return calls.map(({ spec }) => spec.callId);
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const passes = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const classesOf = (admitted: readonly Admitted[]): string[] =>
  admitted.map(({ call }) => call.admissionClass);

/** Checks that the queue of each class is empty. */
async function expectNothingWaits(): Promise<void> {
  const { signal } = new AbortController();
  for (const each of ADMISSION_CLASSES) expect(await api.createdCalls.take(each, 0, signal)).toBeNull();
}

describe('ten competing workers', () => {
  it('assign each queued call to exactly one worker', async () => {
    const admitted: Admitted[] = [];
    const workers = await Promise.all(times(10, null).map(() => worker(1, admitted)));
    for (let round = 1; round <= 10; round += 1) {
      const [callId] = await publish(ADMISSION_CLASSES[round % ADMISSION_CLASSES.length]!);
      await eventually(() => expect(admitted).toHaveLength(round));
      await passes(20);
      expect(admitted).toHaveLength(round);
      const { call, workerId, epoch } = admitted.at(-1)!;
      expect([call.spec.callId, epoch]).toEqual([callId, 1]);
      expect(workers.map(({ slots }) => slots.used).filter((used) => used > 0)).toEqual([1]);
      expect((await api.leases.find(callId!))?.holder?.workerId).toBe(workerId);
      workers.find((one) => one.workerId === workerId)!.slots.release();
    }
    await expectNothingWaits();
  });

  it('admit one of ten calls to the last slot while the others wait', async () => {
    const admitted: Admitted[] = [];
    const { slots } = await worker(1, admitted);
    const racers = await Promise.all(times(10, null).map(() => bus()));
    const calls = racers.map((): CreatedCall => ({
      admissionClass: 'standard',
      spec: callSpec({ createdAtMs: Date.now() }),
    }));
    await Promise.all(calls.map((call, i) => racers[i]!.createdCalls.publish(call, call.spec.callId)));
    for (let taken = 1; taken <= 10; taken += 1) {
      await eventually(() => expect(admitted).toHaveLength(taken));
      await passes(20);
      expect([admitted.length, slots.used]).toEqual([taken, 1]);
      slots.release();
    }
    expect(new Set(admitted.map(({ call }) => call.spec.callId)).size).toBe(10);
  });

  it('grant the lease of a call to exactly one worker', async () => {
    const contenders = await Promise.all(times(10, null).map(() => bus()));
    const holders = contenders.map(() => ({ workerId: newId(), url: 'ws://worker.test' }));
    for (let round = 0; round < 10; round += 1) {
      // Repeats this, because records of silent workers expire.
      for (const holder of holders)
        await api.workers.announce({ ...holder, capacity: 1, activeCalls: 0, draining: false });
      const call: CreatedCall = { admissionClass: 'standard', spec: callSpec({ createdAtMs: Date.now() }) };
      const leases = await Promise.all(contenders.map((one, i) => one.leases.acquire(call, holders[i]!)));
      const won = leases.filter((lease) => typeof lease !== 'string');
      expect(won).toHaveLength(1);
      expect(leases.filter((lease) => lease === 'held')).toHaveLength(9);
      expect((await api.leases.find(call.spec.callId))?.holder?.workerId).toBe(won[0]!.workerId);
    }
  });

  it('accept calls up to their thresholds, each call once, and leave the rest queued', async () => {
    const admitted: Admitted[] = [];
    const workers = await Promise.all(times(10, null).map(() => worker(5, admitted)));
    const calls = await publish(...times(60, 'standard' as const));
    await eventually(() => expect(admitted).toHaveLength(40));
    await publish('priority', 'priority');
    await eventually(() => expect(admitted).toHaveLength(42));
    await passes(50);
    expect(admitted).toHaveLength(42);
    for (let left = 20; left > 0; left -= 1) workers.find(({ slots }) => slots.used > 0)!.slots.release();
    await eventually(() => expect(admitted.length).toBeGreaterThanOrEqual(60));
    for (const { slots } of workers) while (slots.used > 0) slots.release();
    await eventually(() => expect(admitted).toHaveLength(62));
    const ids = admitted.map(({ call }) => call.spec.callId);
    expect(new Set(ids).size).toBe(62);
    expect(ids).toEqual(expect.arrayContaining(calls));
  });
});

describe('a released slot', () => {
  it('goes to priority, then standard, then lowest-cost calls regardless of waiting time', async () => {
    const admitted: Admitted[] = [];
    const { slots } = await worker(1, admitted);
    await publish('standard');
    await eventually(() => expect(admitted).toHaveLength(1));
    await publish(...times(2, 'lowest_cost' as const));
    await publish(...times(2, 'standard' as const));
    await publish(...times(2, 'priority' as const));
    for (let taken = 2; taken <= 7; taken += 1) {
      // A pull that started before the slot was taken has returned its message by then.
      await passes(30);
      slots.release();
      await eventually(() => expect(admitted).toHaveLength(taken));
    }
    expect(classesOf(admitted)).toEqual([
      'standard',
      ...times(2, 'priority'),
      ...times(2, 'standard'),
      ...times(2, 'lowest_cost'),
    ]);
  });
});

describe('a lowest-cost call', () => {
  it('waits while load is high and goes to a worker with capacity', async () => {
    const admitted: Admitted[] = [];
    const busy = await worker(10, admitted);
    await publish(...times(6, 'standard' as const));
    await eventually(() => expect(admitted).toHaveLength(6));
    await publish('lowest_cost');
    await passes(100);
    expect(admitted).toHaveLength(6);
    const idle = await worker(10, admitted);
    await eventually(() => expect(admitted).toHaveLength(7));
    expect(admitted[6]!.workerId).toBe(idle.workerId);
    await publish('lowest_cost');
    await eventually(() => expect(admitted).toHaveLength(8));
    expect(admitted[7]!.workerId).toBe(idle.workerId);
    await idle.admission.stop();
    await publish('lowest_cost');
    await passes(50);
    expect(admitted).toHaveLength(8);
    busy.slots.release();
    await eventually(() => expect(admitted).toHaveLength(9));
    expect(admitted[8]!.workerId).toBe(busy.workerId);
  });
});

describe('a worker that shuts down', () => {
  it('immediately releases a call that was being assigned to it', async () => {
    const admitted: Admitted[] = [];
    for (let round = 1; round <= 15; round += 1) {
      const leaving = await worker(100, admitted);
      const published = publish(...times(8, 'standard' as const));
      await passes(round % 5);
      await leaving.admission.stop();
      const staying = await worker(100, admitted);
      await published;
      const publishedMs = performance.now();
      await eventually(() => expect(admitted).toHaveLength(round * 8));
      // A call lost in transit would be redelivered after two seconds.
      requireQuick(performance.now() - publishedMs, 1800);
      await staying.admission.stop();
    }
    expect(new Set(admitted.map(({ call }) => call.spec.callId)).size).toBe(15 * 8);
  });
});
