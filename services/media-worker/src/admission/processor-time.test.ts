import { describe, expect, it } from '@jest/globals';
import {
  lostBetween,
  parseProcessorTimes,
  readProcessorTimes,
  type ProcessorTimes,
} from './processor-time.ts';

const zero: ProcessorTimes = parseProcessorTimes(0, { stat: '', schedstat: '', cpuStat: '' });

describe('parseProcessorTimes', () => {
  it('reads the counters of the machine, the thread and a container', () => {
    const stat = 'cpu  100 5 50 800 10 3 2 30 7 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n';
    const times = parseProcessorTimes(7, {
      stat,
      schedstat: '2000000 3000000 12\n',
      cpuStat: 'usage_usec 9\nnr_throttled 2\nthrottled_usec 4500\n',
    });
    expect(times).toEqual({
      ...{ atMs: 7, machineUsedMs: 1600, stolenMs: 300 },
      ...{ throttledMs: 4.5, threadUsedMs: 2, threadWaitedMs: 3 },
    });
    const older = 'nr_periods 1\nnr_throttled 1\nthrottled_time 5000000\n';
    expect(parseProcessorTimes(0, { stat, schedstat: '', cpuStat: older }).throttledMs).toBe(5);
  });

  it('reports no loss when the kernel has no counters', () => {
    expect(lostBetween(zero, { ...zero, atMs: 1000 }, 2)).toEqual({ stolen: 0, throttled: 0, waited: 0 });
  });
});

describe('lostBetween', () => {
  const now: ProcessorTimes = { ...zero, atMs: 1000 };

  it.each([
    // Two processors: 2 s are available.
    { change: { stolenMs: 500, machineUsedMs: 1500 }, lost: { stolen: 0.25 } },
    { change: { threadWaitedMs: 600, threadUsedMs: 200 }, lost: { waited: 0.75 } },
    { change: { throttledMs: 300 }, lost: { throttled: 0.3 } },
    { change: { throttledMs: 3000 }, lost: { throttled: 1 } },
    // An idle worker: half of the little that it needs is lost.
    { change: { threadWaitedMs: 5, threadUsedMs: 5 }, lost: { waited: 0.01 } },
    { change: { stolenMs: 20, machineUsedMs: 20 }, lost: { stolen: 0.02 } },
  ])('computes $lost from $change', ({ change, lost }) => {
    expect(lostBetween(zero, { ...now, ...change }, 2)).toEqual({
      ...{ stolen: 0, throttled: 0, waited: 0 },
      ...lost,
    });
  });

  it('counts the processor time of the current thread', () => {
    const before = readProcessorTimes(0);
    const untilMs = performance.now() + 30;
    while (performance.now() < untilMs);
    expect(readProcessorTimes(30).threadUsedMs).toBeGreaterThan(before.threadUsedMs);
  });
});
