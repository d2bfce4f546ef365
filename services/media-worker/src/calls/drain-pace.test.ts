import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { canMoveInTurn, closeInTurn, drainLeadMs } from './drain-pace.ts';

describe('drainLeadMs', () => {
  it('returns half of a short drain limit, 30 s of a long one, and more for many calls', () => {
    expect(drainLeadMs(10_000, 3)).toBe(5000);
    expect(drainLeadMs(3_600_000, 3)).toBe(30_000);
    expect(drainLeadMs(10_000, 9)).toBe(9000);
    expect(drainLeadMs(3_600_000, 100)).toBe(100_000);
    expect(drainLeadMs(10_000, 100)).toBe(10_000);
  });
});

describe('canMoveInTurn', () => {
  it('is true if each call has a second', () => {
    expect(canMoveInTurn(10_000, 10)).toBe(true);
    expect(canMoveInTurn(10_000, 11)).toBe(false);
    expect(canMoveInTurn(0, 0)).toBe(true);
  });
});

describe('closeInTurn', () => {
  function connections(count: number) {
    const streams = Array.from({ length: count }, () => new PassThrough());
    const open = new Map(streams.map((stream) => [stream, { closed: once(stream, 'close') }]));
    return { open, streams, closed: () => streams.filter(({ destroyed }) => destroyed).length };
  }

  it('closes forwarded connections one after the other in the second half of the drain limit', async () => {
    const clock = new VirtualClock();
    const { open, closed } = connections(4);
    const done = closeInTurn(open, 10_000, clock);
    const counts: number[] = [];
    for (const advanceMs of [4999, 1, 1000, 1000, 1000]) {
      await clock.advance(advanceMs);
      counts.push(closed());
    }
    expect(counts).toEqual([0, 1, 2, 3, 4]);
    await done;
    expect(clock.pendingTimers).toBe(0);
  });

  it('stops waiting when all connections have closed', async () => {
    const clock = new VirtualClock();
    const { open, streams } = connections(2);
    const done = closeInTurn(open, 10_000, clock);
    for (const stream of streams) stream.destroy();
    await done;
    await closeInTurn(new Map(), 10_000, clock);
    expect(clock.pendingTimers).toBe(0);
  });
});
