import { describe, expect, it } from '@jest/globals';
import { ADMISSION_CLASSES, type AdmissionClass } from '@calls/api-contract';
import type { CreatedCallDelivery, Lease, LeaseStore } from '@calls/bus';
import { silentLogger } from '@calls/foundation';
import { callSpec, settle, VirtualClock } from '@calls/testkit';
import { Admission, type AdmissionBus } from './admission.ts';
import { Slots } from './slots.ts';

type Answer = CreatedCallDelivery | null | Error;

/** Pulls wait until the test answers them or they are aborted. */
class FakeBus implements AdmissionBus {
  readonly pulls = new Map<AdmissionClass, (answer: Answer) => void>();
  leaseOf: LeaseStore['acquire'] = (call, { workerId }) =>
    Promise.resolve({ callId: call.spec.callId, workerId, epoch: 1 });
  readonly leases: Pick<LeaseStore, 'acquire'> = { acquire: (call, holder) => this.leaseOf(call, holder) };

  takeCreatedCall(
    admissionClass: AdmissionClass,
    _waitMs: number,
    signal: AbortSignal,
  ): Promise<CreatedCallDelivery | null> {
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

  async answer(admissionClass: AdmissionClass, what: Answer): Promise<void> {
    const pull = this.pulls.get(admissionClass);
    if (!pull) throw new Error(`nobody pulls ${admissionClass}`);
    pull(what);
    await settle();
  }
}

class FakeDelivery implements CreatedCallDelivery {
  readonly call: CreatedCallDelivery['call'];
  readonly releasedAfterMs: number[] = [];

  constructor(admissionClass: AdmissionClass) {
    this.call = { admissionClass, spec: callSpec() };
  }

  ack(): Promise<void> {
    return Promise.resolve();
  }

  release(delayMs: number): void {
    this.releasedAfterMs.push(delayMs);
  }
}

async function start(capacity: number) {
  const clock = new VirtualClock();
  const slots = new Slots(capacity);
  const bus = new FakeBus();
  const admitted: { callId: string; lease: Lease }[] = [];
  const admission = new Admission({
    bus,
    holder: { workerId: 'w1', url: 'ws://w1' },
    slots,
    clock,
    log: silentLogger,
    onAdmitted: (delivery, lease) => {
      admitted.push({ callId: delivery.call.spec.callId, lease });
      return Promise.resolve();
    },
  });
  await settle();
  return { clock, slots, bus, admitted, admission };
}

describe('Admission', () => {
  it('pulls every class at the same time, whatever the size, and holds no slot for a pull', async () => {
    const { bus, slots, admission } = await start(1);
    expect([...bus.pulls.keys()].sort()).toEqual([...ADMISSION_CLASSES].sort());
    expect(slots.used).toBe(0);
    await admission.stop();
  });

  it('gives a call back at once where another class took the last slot', async () => {
    const { bus, admitted, admission } = await start(1);
    const [first, second] = [new FakeDelivery('priority'), new FakeDelivery('standard')];
    await bus.answer('priority', first);
    await bus.answer('standard', second);
    expect(admitted).toHaveLength(1);
    expect(second.releasedAfterMs).toEqual([0]);
    expect(bus.pulls.has('standard')).toBe(false);
    await admission.stop();
  });

  it('hands a call over with its lease and its slot, and pulls on', async () => {
    const { bus, slots, admitted, admission } = await start(10);
    const delivery = new FakeDelivery('standard');
    await bus.answer('standard', delivery);
    const { callId } = delivery.call.spec;
    expect(admitted).toEqual([{ callId, lease: { callId, workerId: 'w1', epoch: 1 } }]);
    expect(delivery.releasedAfterMs).toEqual([]);
    expect(bus.pulls.has('standard')).toBe(true);
    await admission.stop();
    expect(slots.used).toBe(1);
  });

  it('waits for a slot when all are in use, and pulls again as soon as one is released', async () => {
    const { bus, slots, admitted, admission } = await start(1);
    await bus.answer('standard', new FakeDelivery('standard'));
    expect(admitted).toHaveLength(1);
    expect(bus.pulls.has('standard')).toBe(false);
    slots.release();
    await settle();
    expect(bus.pulls.has('standard')).toBe(true);
    await admission.stop();
    expect(slots.used).toBe(0);
  });

  it('gives a call back, and its slot, where another worker leads it', async () => {
    const { bus, slots, admitted, admission } = await start(10);
    bus.leaseOf = () => Promise.resolve('held');
    const delivery = new FakeDelivery('priority');
    await bus.answer('priority', delivery);
    expect(delivery.releasedAfterMs).toEqual([2000]);
    expect(admitted).toEqual([]);
    await admission.stop();
    expect(slots.used).toBe(0);
  });

  it.each(['pull', 'lease'])('goes on after a pause where the %s fails, and keeps no slot', async (what) => {
    const { clock, bus, slots, admitted, admission } = await start(10);
    bus.leaseOf = () => Promise.reject(new Error('no bus'));
    await bus.answer('standard', what === 'pull' ? new Error('no bus') : new FakeDelivery('standard'));
    expect(bus.pulls.has('standard')).toBe(false);
    await clock.advance(499);
    expect(bus.pulls.has('standard')).toBe(false);
    await clock.advance(1);
    expect(bus.pulls.has('standard')).toBe(true);
    expect(slots.used).toBe(0);
    expect(admitted).toEqual([]);
    await admission.stop();
    expect([slots.used, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('stops while it waits: for a call, for a slot, and after a fault', async () => {
    const { clock, bus, slots, admission } = await start(2);
    await bus.answer('priority', new Error('no bus'));
    await admission.stop();
    expect(bus.pulls.size).toBe(0);
    expect([slots.used, clock.pendingTimers]).toEqual([0, 0]);
  });
});
