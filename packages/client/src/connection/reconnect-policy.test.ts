import { describe, expect, it } from '@jest/globals';
import { MEDIA_SET_UP_LIMIT_MS } from '@calls/api-contract/call-lifetime';
import { JOIN_LIMIT_MS, pauseBeforeRetryMs, type Attempt } from './reconnect-policy.ts';

it('waits for a join until the service has rejected it', () => {
  expect(JOIN_LIMIT_MS).toBeGreaterThan(MEDIA_SET_UP_LIMIT_MS);
});

const attempt = (given: Partial<Attempt>): number | null =>
  pauseBeforeRetryMs({ closeCode: 1006, was: 'joined', lostForMs: 0, retries: 0, graceMs: 10_000, ...given });

describe('pauseBeforeRetryMs', () => {
  it.each([1001, 1006, 1011, 1012, 4000, 4408, 4503])(
    'retries immediately after close code %d',
    (closeCode) => {
      expect(attempt({ closeCode })).toBe(0);
    },
  );

  it.each([1000, 1008, 4401, 4404, 4409])('does not retry after close code %d', (closeCode) => {
    expect(attempt({ closeCode })).toBeNull();
  });

  it('retries until the service notices the disconnect, but does not replace another client', () => {
    expect(attempt({ closeCode: 4409, was: 'lost', retries: 1 })).toBe(100);
    expect(attempt({ closeCode: 4409, was: 'joining' })).toBeNull();
  });

  it('retries a first join only if the service allows it', () => {
    expect(attempt({ closeCode: 1006, was: 'joining' })).toBeNull();
    expect(attempt({ closeCode: 4503, was: 'joining' })).toBeNull();
    expect(attempt({ closeCode: 1012, was: 'joining', retries: 1 })).toBe(100);
  });

  it('doubles its pauses up to one second, and gives up after the grace period', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 60].map((retries) => attempt({ was: 'lost', retries }));
    expect(pauses).toEqual([0, 100, 200, 400, 800, 1000, 1000]);
    expect(attempt({ was: 'lost', retries: 9, lostForMs: 10_000 })).toBe(1000);
    expect(attempt({ was: 'lost', retries: 9, lostForMs: 10_001 })).toBeNull();
    expect(attempt({ was: 'lost', retries: 9, lostForMs: 10_001, graceMs: 60_000 })).toBe(1000);
  });
});
