import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { capacityOf, costOfCall } from './capacity.ts';

const GB = 1024 ** 3;
const bench = costOfCall({ frameUs: 34, windowUs: 15 }, 'serverWebSocket');
const machine = { cores: 2, availableBytes: 16 * GB, workers: 1 };

describe('capacityOf', () => {
  it('matches the bench on the machine of the bench', () => {
    expect(bench.mainThread + bench.otherThreads).toBeCloseTo(0.0056, 4);
    expect(capacityOf(bench, machine)).toEqual({ calls: 125, limitedBy: 'main_thread' });
    const webRtc = costOfCall({ frameUs: 34, windowUs: 15 }, 'webRtc');
    expect(capacityOf(webRtc, machine)).toEqual({ calls: 74, limitedBy: 'cores' });
    expect(capacityOf(webRtc, { ...machine, cores: 8 })).toEqual({ calls: 127, limitedBy: 'main_thread' });
    const telephony = costOfCall({ frameUs: 34, windowUs: 15 }, 'telephony');
    expect(capacityOf(telephony, machine)).toEqual({ calls: 103, limitedBy: 'main_thread' });
    const sip = costOfCall({ frameUs: 34, windowUs: 15 }, 'sip');
    expect(capacityOf(sip, machine)).toEqual({ calls: 133, limitedBy: 'main_thread' });
  });

  it.each([
    ['one core', { cores: 1 }, 89, 'cores'],
    ['half a core', { cores: 0.5 }, 44, 'cores'],
    ['two workers on two cores', { workers: 2 }, 89, 'cores'],
    ['two workers on eight cores', { cores: 8, workers: 2 }, 125, 'main_thread'],
    ['little memory', { availableBytes: GB / 4 }, 42, 'memory'],
    ['two workers with little memory', { availableBytes: GB / 4, workers: 2 }, 21, 'memory'],
    ['no memory', { availableBytes: 0 }, 1, 'memory'],
  ])('limits the calls for %s', (_, changed, calls, limitedBy) => {
    expect(capacityOf(bench, { ...machine, ...changed })).toEqual({ calls, limitedBy });
  });

  it('falls with the speed of the machine, within bounds', () => {
    const calls = (frameUs: number, windowUs: number): number =>
      capacityOf(costOfCall({ frameUs, windowUs }, 'serverWebSocket'), machine).calls;
    expect(calls(68, 30)).toBe(62);
    expect(calls(17, 15)).toBe(250);
    expect(calls(17, 380)).toBe(178);
    expect(calls(1e6, 1e6)).toBe(31);
    expect(calls(0, 0)).toBe(500);
    expect(calls(Infinity, Infinity)).toBe(31);
  });

  it('never rises with more workers, fewer cores, less memory or higher cost', () => {
    const some = fc.double({ min: 0.1, max: 1000, noNaN: true });
    const bytes = fc.integer({ min: 0, max: 64 * GB });
    fc.assert(
      fc.property(
        some,
        some,
        some,
        bytes,
        fc.integer({ min: 1, max: 32 }),
        (f, w, cores, memory, workers) => {
          const share = { cores, availableBytes: memory, workers };
          const cost = costOfCall({ frameUs: f, windowUs: w }, 'webRtc');
          const { calls } = capacityOf(cost, share);
          expect(calls).toBeGreaterThanOrEqual(1);
          expect(calls).toBeLessThanOrEqual(10_000);
          const worse = [
            capacityOf(cost, { ...share, workers: workers + 1 }),
            capacityOf(cost, { ...share, cores: cores / 2 }),
            capacityOf(cost, { ...share, availableBytes: memory / 2 }),
            capacityOf(costOfCall({ frameUs: f * 2, windowUs: w }, 'webRtc'), share),
          ];
          for (const other of worse) expect(other.calls).toBeLessThanOrEqual(calls);
        },
      ),
    );
  });
});
