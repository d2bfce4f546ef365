import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@calls/foundation';
import { VirtualClock } from '@calls/testkit';
import { monitorLoop, watchOverload, type LoopMonitor } from './overload-watch.ts';
import { Slots } from './slots.ts';

describe('watchOverload', () => {
  it('pauses the slots while the thread is late, and lets priority in meanwhile', async () => {
    const clock = new VirtualClock();
    const slots = new Slots(100);
    for (let i = 0; i < 10; i += 1) slots.tryReserve('standard');
    let delayP99Ms = 5;
    let disposed = false;
    const monitor: LoopMonitor = {
      read: () => ({ delayP99Ms, busyPart: 0.3 }),
      [Symbol.dispose]: () => {
        disposed = true;
      },
    };
    const limits = { delayMs: 60, busyPart: 0.85 };
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

describe('monitorLoop', () => {
  it('sees a thread that is blocked, and one that is not', async () => {
    using monitor = monitorLoop();
    monitor.read();
    await new Promise((resolve) => setTimeout(resolve, 60));
    const blockedUntilMs = performance.now() + 150;
    while (performance.now() < blockedUntilMs);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const blocked = monitor.read();
    expect(blocked.delayP99Ms).toBeGreaterThan(100);
    expect(blocked.busyPart).toBeGreaterThan(0.3);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const idle = monitor.read();
    expect(idle.delayP99Ms).toBeLessThan(blocked.delayP99Ms);
    expect(idle.busyPart).toBeLessThan(blocked.busyPart);
  });
});
