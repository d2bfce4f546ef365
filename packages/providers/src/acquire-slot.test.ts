import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { settle, VirtualClock } from '@calls/foundation/virtual-clock';
import { acquireSlot } from './acquire-slot.ts';
import { Slots } from './slots.ts';

function create() {
  const clock = new VirtualClock();
  const slots = new Slots(1, 1);
  const controller = new AbortController();
  const acquire = () =>
    acquireSlot({ provider: 'engine', slots, clock, limitMs: 1000, signal: controller.signal });
  return { clock, controller, acquire };
}

describe('acquireSlot', () => {
  it('waits for a free slot and leaves no timer', async () => {
    const { clock, acquire } = create();
    const release = await acquire();
    const waiting = acquire();
    release();
    (await waiting)();
    (await acquire())();
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails with "timeout" after its limit and leaves the queue', async () => {
    const { clock, acquire } = create();
    const release = await acquire();
    const waiting = expect(acquire()).rejects.toMatchObject({ provider: 'engine', kind: 'timeout' });
    await clock.advance(1000);
    await waiting;
    const next = acquire();
    release();
    (await next)();
  });

  it('fails with "refused" when too many requests wait, without an effect on those', async () => {
    const { acquire } = create();
    const release = await acquire();
    const waiting = acquire();
    await expect(acquire()).rejects.toMatchObject({ provider: 'engine', kind: 'refused' });
    release();
    (await waiting)();
  });

  it('rejects with the reason of an abort, and leaves no timer or listener', async () => {
    const { clock, controller, acquire } = create();
    const release = await acquire();
    const reason = new Error('enough');
    const waiting = expect(acquire()).rejects.toBe(reason);
    controller.abort(reason);
    await waiting;
    release();
    await settle();
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });
});
