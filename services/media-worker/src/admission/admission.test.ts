import { ADMISSION_CLASSES, type AdmissionClass } from '@calls/api-contract/bus/created-call';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { CreatedCallDelivery } from '@calls/bus/created-calls';
import type { Lease, LeaseStore } from '@calls/bus/leases';
import { silentLogger } from '@calls/foundation/logger';
import { callSpec } from '@calls/testkit/call-spec';
import { settle, VirtualClock } from '@calls/foundation/virtual-clock';
import { describe, expect, it } from '@jest/globals';
import { Admission, AsyncSignal, type AdmissionBus } from './admission.ts';
import { Slots } from './slots.ts';

type Answer = CreatedCallDelivery | null | Error;

/** A work queue in memory. A pending pull resolves with the next published call, or when it is aborted. */
class FakeBus implements AdmissionBus {
  readonly waiting: FakeDelivery[] = [];
  readonly pulls = new Map<AdmissionClass, (answer: Answer) => void>();
  leaseOf: LeaseStore['acquire'] = (call, { workerId }) =>
    Promise.resolve({ callId: call.spec.callId, workerId, epoch: 1 });
  readonly leases: Pick<LeaseStore, 'acquire'> = { acquire: (call, holder) => this.leaseOf(call, holder) };

  readonly createdCalls: AdmissionBus['createdCalls'] = {
    take: (admissionClass, waitMs, signal) => this.#take(admissionClass, waitMs, signal),
  };

  #take(
    admissionClass: AdmissionClass,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<CreatedCallDelivery | null> {
    const first = this.waiting.findIndex(({ call }) => call.admissionClass === admissionClass);
    const delivery = first < 0 ? undefined : this.waiting.splice(first, 1)[0];
    if (delivery || waitMs === 0) return Promise.resolve(delivery ?? null);
    return new Promise((resolve, reject) => {
      const answer = (what: Answer): void => {
        this.pulls.delete(admissionClass);
        if (what instanceof Error) reject(what);
        else resolve(what);
      };
      this.pulls.set(admissionClass, answer);
      signal.addEventListener('abort', () => answer(null), { once: true });
    });
  }

  /** Delivers to a pending pull, or queues. */
  async publish(delivery: FakeDelivery): Promise<void> {
    const { admissionClass } = delivery.call;
    if (this.pulls.has(admissionClass)) await this.answer(admissionClass, delivery);
    else this.waiting.push(delivery);
  }

  async answer(admissionClass: AdmissionClass, what: Answer): Promise<void> {
    const pull = this.pulls.get(admissionClass);
    if (!pull) throw new Error(`no pull for ${admissionClass}`);
    pull(what);
    await settle();
  }
}

class FakeDelivery implements CreatedCallDelivery {
  readonly call: CreatedCallDelivery['call'];
  readonly releasedAfterMs: number[] = [];
  readonly waitingBehind = 0;
  acks = 0;

  constructor(admissionClass: AdmissionClass, spec: Partial<CallSpec> = {}) {
    this.call = { admissionClass, spec: callSpec(spec) };
  }

  ack(): void {
    this.acks += 1;
  }

  release(delayMs: number): void {
    this.releasedAfterMs.push(delayMs);
  }
}

async function start(capacity: number, waiting: AdmissionClass[] = []) {
  const clock = new VirtualClock();
  const slots = new Slots(capacity);
  const bus = new FakeBus();
  bus.waiting.push(...waiting.map((admissionClass) => new FakeDelivery(admissionClass)));
  const admitted: { callId: string; lease: Lease }[] = [];
  const classes: AdmissionClass[] = [];
  const waits: [AdmissionClass, number][] = [];
  const admission = new Admission({
    bus,
    holder: { workerId: 'w1', url: 'ws://w1' },
    slots,
    offers: ({ kind }) => kind !== 'webRtc',
    clock,
    log: silentLogger,
    onWaited: (...wait) => waits.push(wait),
    onAdmitted: (delivery, lease) => {
      admitted.push({ callId: delivery.call.spec.callId, lease });
      classes.push(delivery.call.admissionClass);
      return Promise.resolve();
    },
  });
  await settle();
  return { clock, slots, bus, admitted, classes, waits, admission };
}

describe('Admission', () => {
  it('waits for calls of every class at the same time, even with a single slot, and reserves none while it waits', async () => {
    const { bus, slots, admission } = await start(1);
    expect([...bus.pulls.keys()].sort()).toEqual([...ADMISSION_CLASSES].sort());
    expect(slots.used).toBe(0);
    await admission.stop();
  });

  it('admits waiting calls by class, each up to its threshold', async () => {
    const waiting = ADMISSION_CLASSES.toReversed().flatMap((each) => Array.from({ length: 5 }, () => each));
    const { bus, slots, classes, admission } = await start(10, waiting);
    // Priority and standard calls take nine slots; the other calls exceed their thresholds.
    expect(classes).toEqual([...Array<string>(5).fill('priority'), ...Array<string>(4).fill('standard')]);
    for (let ended = 0; ended < 4; ended += 1) {
      slots.release();
      await settle();
    }
    // Standard calls are admitted below 9 used slots, lowest_cost calls below 6.
    expect(classes.slice(9)).toEqual(['standard']);
    expect(slots.used).toBe(6);
    slots.release();
    await settle();
    expect(classes.slice(10)).toEqual(['lowest_cost']);
    expect(bus.waiting).toHaveLength(4);
    await admission.stop();
  });

  it('returns a call with an unsupported medium to the queue without reserving a slot', async () => {
    const { bus, slots, admitted, admission } = await start(2);
    const call = new FakeDelivery('standard', { medium: { kind: 'webRtc', dataMessages: {} } });
    await bus.publish(call);
    expect(call.releasedAfterMs).toEqual([500]);
    expect(admitted).toEqual([]);
    expect(slots.used).toBe(0);
    await admission.stop();
  });

  it('assigns a freed slot to priority calls first', async () => {
    const { bus, slots, classes, admission } = await start(1, ['standard', 'lowest_cost', 'standard']);
    expect(classes).toEqual(['standard']);
    // The pending pull receives the call, which is returned to the queue because no slot is free.
    const urgent = new FakeDelivery('priority');
    await bus.publish(urgent);
    expect(urgent.releasedAfterMs).toEqual([0]);
    await bus.publish(urgent);
    slots.release();
    await settle();
    expect(classes).toEqual(['standard', 'priority']);
    expect(bus.waiting).toHaveLength(2);
    await admission.stop();
  });

  it('admits only priority calls while the slots are paused, and all classes afterwards', async () => {
    const { bus, slots, classes, admission } = await start(10);
    slots.isPaused = true;
    const early = new FakeDelivery('standard');
    await bus.answer('standard', early);
    expect(early.releasedAfterMs).toEqual([0]);
    await bus.answer('priority', new FakeDelivery('priority'));
    expect([...bus.pulls.keys()].sort()).toEqual(['lowest_cost', 'priority']);
    bus.waiting.push(early);
    slots.isPaused = false;
    await settle();
    expect(classes).toEqual(['priority', 'standard']);
    await admission.stop();
  });

  it('returns a call to the queue immediately when another class took the last slot', async () => {
    const { bus, admitted, admission } = await start(1);
    const [first, second] = [new FakeDelivery('priority'), new FakeDelivery('standard')];
    await bus.answer('priority', first);
    await bus.answer('standard', second);
    expect(admitted).toHaveLength(1);
    expect(second.releasedAfterMs).toEqual([0]);
    expect(bus.pulls.has('standard')).toBe(false);
    await admission.stop();
  });

  it('admits a call with its lease and its slot, and waits for the next call', async () => {
    const { clock, bus, slots, admitted, waits, admission } = await start(10);
    const delivery = new FakeDelivery('standard');
    await clock.advance(1200);
    await bus.answer('standard', delivery);
    const { callId } = delivery.call.spec;
    expect(admitted).toEqual([{ callId, lease: { callId, workerId: 'w1', epoch: 1 } }]);
    expect(waits).toEqual([['standard', 1200]]);
    expect(delivery.releasedAfterMs).toEqual([]);
    expect(bus.pulls.has('standard')).toBe(true);
    await admission.stop();
    expect(slots.used).toBe(1);
  });

  it('admits the next call while a lease request is pending', async () => {
    const { bus, slots, admitted, admission } = await start(10);
    const grants: (() => void)[] = [];
    bus.leaseOf = ({ spec }, { workerId }) =>
      new Promise((resolve) => grants.push(() => resolve({ callId: spec.callId, workerId, epoch: 1 })));
    await bus.answer('standard', new FakeDelivery('standard'));
    await bus.answer('standard', new FakeDelivery('standard'));
    expect([slots.used, admitted.length]).toEqual([2, 0]);
    let isStopped = false;
    const stopped = admission.stop().then(() => (isStopped = true));
    await settle();
    expect(isStopped).toBe(false);
    for (const grant of grants) grant();
    await stopped;
    expect(admitted).toHaveLength(2);
  });

  it.each([
    { lease: 'held', releasedAfterMs: [2000], acks: 0 },
    { lease: 'over', releasedAfterMs: [], acks: 1 },
  ] as const)('releases the call and its slot when the lease is $lease', async (expected) => {
    const { bus, slots, admitted, admission } = await start(10);
    bus.leaseOf = () => Promise.resolve(expected.lease);
    const delivery = new FakeDelivery('priority');
    await bus.answer('priority', delivery);
    expect(delivery.releasedAfterMs).toEqual(expected.releasedAfterMs);
    expect(delivery.acks).toBe(expected.acks);
    expect(admitted).toEqual([]);
    expect(slots.used).toBe(0);
    await admission.stop();
  });

  it('skips a call whose joinTimeout has passed, and admits the next one', async () => {
    const { clock, bus, slots, admitted, admission } = await start(1);
    await bus.answer('standard', new FakeDelivery('standard'));
    const [late, next] = [
      new FakeDelivery('standard'),
      new FakeDelivery('standard', { joinTimeoutMs: 60_000 }),
    ];
    bus.waiting.push(late, next);
    await clock.advance(30_000);
    slots.release();
    await settle();
    expect([late.acks, late.releasedAfterMs]).toEqual([1, []]);
    expect(admitted.map(({ callId }) => callId).slice(1)).toEqual([next.call.spec.callId]);
    expect(slots.used).toBe(1);
    await admission.stop();
  });

  it('pulls again after a pause when a pull fails', async () => {
    const { clock, bus, slots, admission } = await start(10);
    await bus.answer('standard', new Error('no bus'));
    expect(bus.pulls.has('standard')).toBe(false);
    await clock.advance(499);
    expect(bus.pulls.has('standard')).toBe(false);
    await clock.advance(1);
    expect(bus.pulls.has('standard')).toBe(true);
    await admission.stop();
    expect([slots.used, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('returns a call to the queue when its lease cannot be read', async () => {
    const { bus, slots, admitted, admission } = await start(10);
    bus.leaseOf = () => Promise.reject(new Error('no bus'));
    const delivery = new FakeDelivery('standard');
    await bus.answer('standard', delivery);
    expect(delivery.releasedAfterMs).toEqual([500]);
    expect([slots.used, admitted.length]).toEqual([0, 0]);
    await admission.stop();
  });

  it('stops while it waits for calls or after an error', async () => {
    const { clock, bus, slots, admission } = await start(2);
    await bus.answer('priority', new Error('no bus'));
    await admission.stop();
    expect(bus.pulls.size).toBe(0);
    expect([slots.used, clock.pendingTimers]).toEqual([0, 0]);
  });
});

describe('AsyncSignal', () => {
  it('wakes a waiter, persists until the next wait, and coalesces repeated notifications', async () => {
    const nudge = new AsyncSignal();
    let woken = 0;
    const wait = (): void => void nudge.wait().then(() => (woken += 1));
    wait();
    await settle();
    expect(woken).toBe(0);
    nudge.give();
    nudge.give();
    await settle();
    expect(woken).toBe(1);
    wait();
    await settle();
    expect(woken).toBe(1);
    nudge.give();
    await settle();
    nudge.give();
    wait();
    await settle();
    expect(woken).toBe(3);
  });
});
