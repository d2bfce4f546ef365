import { describe, expect, it } from '@jest/globals';
import { settle } from '@calls/testkit/virtual-clock';
import { AsyncSignal } from './async-signal.ts';

describe('Nudge', () => {
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
