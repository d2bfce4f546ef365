import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@calls/foundation/ids';
import type { Decision, Granted, RateLimits, Refused, Window } from '@calls/redis/rate-limits/rate-limits';

export interface RateLimitsConformance {
  /** Called before each test; may return the same instance. */
  limits: () => RateLimits;
  /** Advances the clock. */
  pass: (ms: number) => Promise<void>;
}

export function asGranted(decision: Decision): Granted {
  if (!decision.granted) throw new Error(`refused by ${decision.refusedBy.name}`);
  return decision;
}

export function asRefused(decision: Decision): Refused {
  if (decision.granted) throw new Error('granted');
  return decision;
}

const MINUTE_MS = 60_000;
const minute = (name: string, limit: number): Window => ({ name, limit, windowMs: MINUTE_MS });

/** Contract of every RateLimits, on any clock. */
export function describeRateLimits(name: string, options: RateLimitsConformance): void {
  describe(`${name} as RateLimits`, () => {
    let subject: string;
    const take = (...windows: Window[]): Promise<Decision> => options.limits().take(subject, windows);

    beforeEach(() => {
      subject = newId();
    });

    it('grants permits up to the limit and reports how many are left', async () => {
      const left: number[] = [];
      for (let i = 0; i < 4; i += 1) {
        const [state] = asGranted(await take(minute('a', 4))).windows;
        left.push(state?.remaining ?? NaN);
        expect(state?.resetMs).toBe(MINUTE_MS);
      }
      expect(left).toEqual([3, 2, 1, 0]);
      const { refusedBy, retryAfterMs } = asRefused(await take(minute('a', 4)));
      expect(refusedBy).toMatchObject({ name: 'a', limit: 4, remaining: 0 });
      expect(retryAfterMs).toBeLessThanOrEqual(MINUTE_MS);
      expect(retryAfterMs).toBeGreaterThan(MINUTE_MS - 10_000);
      expect(refusedBy.resetMs).toBeGreaterThanOrEqual(retryAfterMs);
    });

    it('grants one permit for each that has expired, after the reported time', async () => {
      // Long enough to tolerate a slow machine.
      const window = { name: 'a', limit: 2, windowMs: 3000 };
      await take(window);
      await options.pass(1500);
      await take(window);
      const { retryAfterMs } = asRefused(await take(window));
      expect(retryAfterMs).toBeLessThanOrEqual(1500);
      await options.pass(retryAfterMs);
      asGranted(await take(window));
      await options.pass(window.windowMs);
      expect(asGranted(await take(window)).windows[0]?.remaining).toBe(1);
    });

    it('takes a permit from every window or from none', async () => {
      const [wide, narrow] = [minute('wide', 10), minute('narrow', 2)];
      await take(wide, narrow);
      await take(wide, narrow);
      const refused = asRefused(await take(wide, narrow));
      expect(refused.refusedBy.name).toBe('narrow');
      expect(refused.windows.map(({ remaining }) => remaining)).toEqual([8, 0]);
      expect(asGranted(await take(wide)).windows[0]?.remaining).toBe(7);
    });

    it('reports the window that is full for the longest time', async () => {
      const [second, hour] = [
        { name: 'a', limit: 1, windowMs: 1000 },
        { name: 'a', limit: 1, windowMs: 60 * MINUTE_MS },
      ];
      asGranted(await take(second, hour));
      const { refusedBy, retryAfterMs } = asRefused(await take(second, hour));
      expect(refusedBy).toMatchObject(hour);
      expect(retryAfterMs).toBeGreaterThan(50 * MINUTE_MS);
    });

    it('counts a window that is requested twice once, with the lower limit', async () => {
      expect(asGranted(await take(minute('a', 5), minute('a', 2))).windows.map((w) => w.remaining)).toEqual([
        4, 1,
      ]);
      asGranted(await take(minute('a', 5), minute('a', 2)));
      expect(asRefused(await take(minute('a', 5), minute('a', 2))).refusedBy.limit).toBe(2);
    });

    it('counts subjects, window names and window lengths separately', async () => {
      asGranted(await take(minute('a', 1)));
      asGranted(await take(minute('b', 1)));
      asGranted(await take({ name: 'a', limit: 1, windowMs: 2 * MINUTE_MS }));
      asGranted(await options.limits().take(newId(), [minute('a', 1)]));
      asRefused(await take(minute('a', 1)));
    });

    it('applies a changed limit to permits that were already granted', async () => {
      for (let i = 0; i < 5; i += 1) asGranted(await take(minute('a', 5)));
      expect(asRefused(await take(minute('a', 3))).refusedBy.remaining).toBe(0);
      expect(asGranted(await take(minute('a', 7))).windows[0]?.remaining).toBe(1);
    });

    it('releases each permit only once', async () => {
      const windows = [minute('a', 2), minute('b', 2)];
      const first = asGranted(await take(...windows));
      asGranted(await take(...windows));
      asRefused(await take(...windows));
      await first.release();
      await first.release();
      const again = asGranted(await take(...windows));
      expect(again.windows.map(({ remaining }) => remaining)).toEqual([0, 0]);
      asRefused(await take(...windows));
    });

    it('grants concurrent requests no more permits than the limit', async () => {
      const decisions = await Promise.all(Array.from({ length: 20 }, () => take(minute('a', 7))));
      expect(decisions.filter(({ granted }) => granted)).toHaveLength(7);
    });
  });
}
