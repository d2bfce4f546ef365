import { describe, expect, it } from '@jest/globals';
import { DEFAULT_SIP_LIMITS } from '../endpoint-options.ts';
import { StrayLimit } from './stray-limit.ts';

function taken(limit: StrayLimit, addresses: readonly string[], nowMs: number): number {
  return addresses.filter((address) => limit.take(address, nowMs)).length;
}

describe('requests that belong to no call', () => {
  const limits = { ...DEFAULT_SIP_LIMITS, strayBurst: 5, strayPerSecond: 2 };

  it('are few from one address, and don’t cost another', () => {
    const limit = new StrayLimit(limits, 0);
    const one = Array.from({ length: 100 }, () => '192.0.2.1');
    expect(taken(limit, one, 0)).toBe(5);
    expect(taken(limit, ['192.0.2.2'], 0)).toBe(1);
    expect(taken(limit, one, 1000)).toBe(2);
  });

  it('are few from all addresses, forged ones too', () => {
    const limit = new StrayLimit(limits, 0);
    const forged = Array.from({ length: 30_000 }, (_, i) => `forged ${i}`);
    expect(taken(limit, forged, 0)).toBe(50);
  });
});
