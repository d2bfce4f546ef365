import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { KeyAttempts, MAX_ATTEMPTS } from './key-attempts.ts';

function exhausted(attempts: KeyAttempts, address: string): boolean {
  return attempts.take(address) > 0;
}

function exhaust(attempts: KeyAttempts, address: string): void {
  for (let i = 0; i < MAX_ATTEMPTS; i += 1) expect(attempts.take(address)).toBe(0);
}

describe('KeyAttempts', () => {
  it('limits attempts per minute for each address', async () => {
    const clock = new VirtualClock();
    const attempts = new KeyAttempts(clock);
    exhaust(attempts, '192.0.2.1');
    await clock.advance(20_000);
    expect(attempts.take('192.0.2.1')).toBe(40_000);
    expect(exhausted(attempts, '192.0.2.2')).toBe(false);
    await clock.advance(40_000);
    expect(exhausted(attempts, '192.0.2.1')).toBe(false);
  });

  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::ffff:0:0:9'],
    ['2001:db8:0:0:1::', '2001:db8::2'],
    ['fe80::1%eth0', 'fe80::2'],
  ])('counts attempts from %s and %s together', (one, other) => {
    const attempts = new KeyAttempts(new VirtualClock());
    exhaust(attempts, one);
    expect(exhausted(attempts, other)).toBe(true);
  });

  it('counts attempts from different networks separately', () => {
    const attempts = new KeyAttempts(new VirtualClock());
    exhaust(attempts, '2001:db8:0:1::1');
    for (const other of ['2001:db8:0:2::1', '2001:db8::1', '192.0.2.1', '']) {
      expect(exhausted(attempts, other)).toBe(false);
    }
  });

  it('remembers a limited number of addresses', () => {
    const attempts = new KeyAttempts(new VirtualClock());
    exhaust(attempts, 'first');
    for (let i = 0; i < 10_000; i += 1) attempts.take(`address ${i}`);
    expect(exhausted(attempts, 'first')).toBe(false);
  });
});
