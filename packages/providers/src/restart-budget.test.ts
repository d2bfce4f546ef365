import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { RestartBudget } from './restart-budget.ts';

describe('RestartBudget', () => {
  it('allows a limited number of restarts per minute', async () => {
    const clock = new VirtualClock();
    const budget = new RestartBudget(clock, 2);
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
    await clock.advance(59_999);
    expect(budget.take()).toBe(false);
    await clock.advance(1);
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
  });
});
