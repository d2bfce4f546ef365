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
  it('waits for its turn and leaves no timer', async () => {
    const { clock, acquire } = create();
    const release = await acquire();
    const waiting = acquire();
    release();
    (await waiting)();
    (await acquire())();
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives up after its time and is no longer in the queue', async () => {
    const { clock, acquire } = create();
    const release = await acquire();
    const waiting = expect(acquire()).rejects.toMatchObject({ provider: 'engine', kind: 'timeout' });
    await clock.advance(1000);
    await waiting;
    const next = acquire();
    release();
    (await next)();
  });

  it('is refused where too many wait, and leaves those who do', async () => {
    const { acquire } = create();
    const release = await acquire();
    const waiting = acquire();
    await expect(acquire()).rejects.toMatchObject({ provider: 'engine', kind: 'refused' });
    release();
    (await waiting)();
  });

  it('rejects with the reason of an abort, and returns a slot that was granted meanwhile', async () => {
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
