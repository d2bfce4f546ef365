import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { FrameTicker } from './frame-ticker.ts';

/** A clock whose timers can be delayed, as in a busy process. */
class StallingClock extends VirtualClock {
  stalledMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.stalledMs;
  }
}

describe('FrameTicker', () => {
  it('ticks every 20 ms for all listeners with one timer, and stops when all are removed', async () => {
    const clock = new VirtualClock();
    const beat = new FrameTicker(clock);
    expect(clock.pendingTimers).toBe(0);
    const ticks: number[] = [];
    const others: number[] = [];
    const listener = (count: number): void => void ticks.push(count, clock.nowMs());
    const other = (count: number): void => void others.push(count);
    await clock.advance(7);
    beat.add(listener);
    beat.add(other);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(60);
    expect(ticks).toEqual([1, 20, 2, 40, 3, 60]);
    beat.remove(listener);
    await clock.advance(20);
    expect(others).toEqual([1, 2, 3, 4]);
    beat.remove(other);
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(100);
    beat.add(other);
    await clock.advance(20);
    expect(others.at(-1)).toBe(10);
  });

  it('catches up after a short stall, skips the ticks of a long one, and stays aligned', async () => {
    const clock = new StallingClock();
    const beat = new FrameTicker(clock);
    const counts: number[] = [];
    beat.add((count) => void counts.push(count));
    await clock.advance(20);
    clock.stalledMs = 50;
    await clock.advance(20);
    expect(counts).toEqual([1, 2, 3, 4]);
    clock.stalledMs = 1010;
    await clock.advance(20);
    expect(counts.slice(4)).toEqual([49, 50, 51, 52, 53]);
    expect(beat.nextMs).toBe(1080);
  });

  it('allows a listener to remove itself during a tick', async () => {
    const clock = new VirtualClock();
    const beat = new FrameTicker(clock);
    let count = 0;
    const listener = (): void => {
      count += 1;
      beat.remove(listener);
    };
    beat.add(listener);
    await clock.advance(200);
    expect(count).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });
});
