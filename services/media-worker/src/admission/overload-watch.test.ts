import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import type { LoadReading } from './overload-guard.ts';
import { monitorLoad, watchOverload, type LoadMonitor } from './overload-watch.ts';
import { Slots } from './slots.ts';

const NOTHING_LOST = { stolen: 0, throttled: 0, waited: 0 };

describe('watchOverload', () => {
  it('lowers the capacity and then pauses the slots while processor time is lost', async () => {
    const clock = new VirtualClock();
    const slots = new Slots(100);
    for (let i = 0; i < 10; i += 1) slots.tryReserve('standard');
    let lost = { ...NOTHING_LOST, stolen: 0.16 };
    const monitor: LoadMonitor = {
      read: () => ({ delayP99Ms: 5, busyShare: 0.3, sttLatenessMs: 0, lost }),
      [Symbol.dispose]: () => undefined,
    };
    const limits = { delayMs: 60, busyShare: 0.85, sttLatenessMs: 1000 };
    using watch = watchOverload({ slots, limits, clock, log: silentLogger }, monitor);
    const seen = (): unknown[] => [watch.pressure.level, slots.usable, slots.isPaused];
    expect(seen()).toEqual(['none', 100, false]);
    await clock.advance(1000);
    expect(seen()).toEqual(['capacity', 92, false]);
    await clock.advance(1000);
    expect(seen()).toEqual(['speculation', 88, false]);
    lost = { ...NOTHING_LOST, waited: 0.5 };
    await clock.advance(1000);
    expect(seen()).toEqual(['storage', 69, true]);
    expect(slots.tryReserve('standard')).toBe(false);
    lost = NOTHING_LOST;
    await clock.advance(15_000);
    expect(seen()).toEqual(['none', 100, false]);
  });

  it('pauses the slots while the event loop is late, except for priority calls', async () => {
    const clock = new VirtualClock();
    const slots = new Slots(100);
    for (let i = 0; i < 10; i += 1) slots.tryReserve('standard');
    let delayP99Ms = 5;
    let disposed = false;
    const monitor: LoadMonitor = {
      read: () => ({ delayP99Ms, busyShare: 0.3, sttLatenessMs: 0, lost: NOTHING_LOST }),
      [Symbol.dispose]: () => {
        disposed = true;
      },
    };
    const limits = { delayMs: 60, busyShare: 0.85, sttLatenessMs: 1000 };
    const watch = watchOverload({ slots, limits, clock, log: silentLogger }, monitor);
    await clock.advance(5000);
    expect(slots.isPaused).toBe(false);
    delayP99Ms = 80;
    await clock.advance(1000);
    expect(slots.isPaused).toBe(true);
    expect([slots.tryReserve('standard'), slots.tryReserve('priority')]).toEqual([false, true]);
    delayP99Ms = 5;
    await clock.advance(1000);
    expect(slots.isPaused).toBe(true);
    await clock.advance(1000);
    expect(slots.isPaused).toBe(false);
    watch[Symbol.dispose]();
    expect([disposed, clock.pendingTimers]).toEqual([true, 0]);
  });
});

describe('monitorLoad', () => {
  it('detects whether the thread is blocked', async () => {
    using monitor = monitorLoad(() => 0);
    const blocked = await readUntil(monitor, blockThread, (it) => it.delayP99Ms > 100 && it.busyShare > 0.3);
    expect(blocked.delayP99Ms).toBeGreaterThan(100);
    expect(blocked.busyShare).toBeGreaterThan(0.3);
    const idle = await readUntil(
      monitor,
      () => delay(200),
      (it) => it.delayP99Ms < blocked.delayP99Ms && it.busyShare < blocked.busyShare,
    );
    expect(idle.delayP99Ms).toBeLessThan(blocked.delayP99Ms);
    expect(idle.busyShare).toBeLessThan(blocked.busyShare);
  });
});

async function blockThread(): Promise<void> {
  await delay(60);
  const untilMs = performance.now() + 150;
  while (performance.now() < untilMs);
  await delay(20);
}

/** The first reading that meets the condition while `spend` runs; other load on the machine can distort readings. */
async function readUntil(
  monitor: LoadMonitor,
  spend: () => Promise<void>,
  shows: (reading: LoadReading) => boolean,
): Promise<LoadReading> {
  for (let windowsLeft = 10; ; windowsLeft -= 1) {
    monitor.read();
    await spend();
    const reading = monitor.read();
    if (shows(reading) || windowsLeft === 1) return reading;
  }
}
