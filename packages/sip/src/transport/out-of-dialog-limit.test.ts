import { describe, expect, it } from '@jest/globals';
import { DEFAULT_SIP_LIMITS } from '../endpoint-options.ts';
import { OutOfDialogLimit } from './out-of-dialog-limit.ts';

const LIMITS = {
  ...DEFAULT_SIP_LIMITS,
  unknownSourceBurst: 5,
  unknownSourcePerSecond: 2,
  peerBurst: 50,
  peerPerSecond: 20,
};

function taken(limit: OutOfDialogLimit, addresses: readonly string[], nowMs: number): number {
  return addresses.filter((address) => limit.take(address, nowMs)).length;
}

const times = (count: number, address: string): string[] => Array<string>(count).fill(address);

describe('OutOfDialogLimit', () => {
  it('limits each unknown source separately', () => {
    const limit = new OutOfDialogLimit(LIMITS);
    expect(taken(limit, times(100, '192.0.2.1'), 0)).toBe(5);
    expect(taken(limit, times(100, '192.0.2.1'), 1000)).toBe(2);
    const others = Array.from({ length: 1000 }, (_, i) => `198.51.${i >> 8}.${i & 255}`);
    expect(taken(limit, others, 1000)).toBe(1000);
  });

  it('allows more to a peer, even when unknown and forged sources send many requests', () => {
    const limit = new OutOfDialogLimit(LIMITS);
    limit.trust('203.0.113.9', 0);
    const forged = Array.from({ length: 30_000 }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    taken(limit, forged, 0);
    expect(taken(limit, times(100, '203.0.113.9'), 0)).toBe(50);
    expect(taken(limit, times(100, '203.0.113.9'), 1000)).toBe(20);
    limit.trust('203.0.113.9', 1000);
    expect(taken(limit, times(100, '203.0.113.9'), 1000)).toBe(0);
    expect(taken(limit, times(100, '203.0.113.9'), 700_000)).toBe(5);
  });
});
