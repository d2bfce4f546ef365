import { describe, expect, it } from '@jest/globals';
import { InputClock, MAX_AHEAD_MS } from './input-clock.ts';

describe('InputClock', () => {
  it('accepts audio in real time for an hour without dropping or filling any', () => {
    const clock = new InputClock();
    const wrongMs: number[] = [];
    for (let nowMs = 0; nowMs < 3_600_000; nowMs += 20) {
      if (clock.accept(20, nowMs) !== 20 || clock.missing(nowMs) !== 0) wrongMs.push(nowMs);
    }
    expect(wrongMs).toEqual([]);
  });

  it('drops audio that arrives faster than real time', () => {
    const clock = new InputClock();
    let acceptedMs = 0;
    for (let i = 0; i < 600; i += 1) acceptedMs += clock.accept(1000, (i * 1000) / 600);
    expect(acceptedMs).toBeGreaterThan(MAX_AHEAD_MS);
    expect(acceptedMs).toBeLessThan(MAX_AHEAD_MS + 1001);
  });

  it('reports overdue audio only once', () => {
    const clock = new InputClock();
    clock.accept(20, 0);
    expect(clock.missing(310)).toBe(0);
    expect(clock.missing(350)).toBe(320);
    expect(clock.missing(360)).toBe(0);
  });

  it('returns the part of a reported gap that was not filled before', () => {
    const clock = new InputClock();
    clock.accept(20, 0);
    expect(clock.missing(400)).toBe(380);
    expect(clock.catchUp(480, 510)).toBe(100);
    expect(clock.catchUp(40, 600)).toBe(40);
    expect(clock.catchUp(40, 500)).toBe(0);
  });

  it('reports no missing audio right after a pause of the process, while audio may wait to be read', () => {
    const clock = new InputClock();
    clock.accept(20, 0);
    expect(clock.missing(100)).toBe(0);
    // The timer fires before sockets are read; the peer, which was paused as well, sends its audio late.
    expect(clock.missing(3100)).toBe(0);
    expect(clock.missing(3200)).toBe(0);
    expect(clock.accept(3180, 3250)).toBe(3180);
    for (let nowMs = 3300; nowMs <= 10_000; nowMs += 100) {
      expect(clock.accept(100, nowMs)).toBe(100);
      expect(clock.missing(nowMs)).toBe(0);
    }
  });

  it('reports audio that does not arrive after a pause of the process as missing', () => {
    const clock = new InputClock();
    clock.accept(20, 0);
    const filledMs: number[] = [];
    for (const nowMs of [100, 3100, 3600, 4000, 4100]) filledMs.push(clock.missing(nowMs));
    expect(filledMs).toEqual([0, 0, 0, 0, 4080]);
  });

  it('reports missing audio even if every check is late', () => {
    const clock = new InputClock();
    clock.accept(20, 0);
    let filledMs = 0;
    for (let nowMs = 500; nowMs <= 60_000; nowMs += 500) filledMs += clock.missing(nowMs);
    expect(filledMs).toBeGreaterThan(57_000);
  });

  it('reports no missing audio before the first audio', () => {
    expect(new InputClock().missing(1_000_000)).toBe(0);
  });
});
