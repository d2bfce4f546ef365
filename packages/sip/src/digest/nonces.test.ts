import { describe, expect, it } from '@jest/globals';
import { Nonces } from './nonces.ts';

const SOURCE = '192.0.2.1';
const NOW = 1_800_000_000_000;

describe('a nonce', () => {
  it('can be used with growing counts until it expires, by the source that got it', () => {
    const nonces = new Nonces();
    const nonce = nonces.issue(SOURCE, NOW);
    expect(nonces.use(nonce, '00000001', '192.0.2.2', NOW)).toBe(false);
    expect(nonces.use(nonce, '00000001', SOURCE, NOW)).toBe(true);
    expect(nonces.use(nonce, '00000001', SOURCE, NOW)).toBe(false);
    expect(nonces.use(nonce, '0000000a', SOURCE, NOW + 59_999)).toBe(true);
    expect(nonces.use(nonce, '00000002', SOURCE, NOW + 59_999)).toBe(false);
    expect(nonces.use(nonce, '0000000b', SOURCE, NOW + 60_000)).toBe(false);
  });

  it('can be used once without counts', () => {
    const nonces = new Nonces();
    const nonce = nonces.issue(SOURCE, NOW);
    expect(nonces.use(nonce, null, SOURCE, NOW)).toBe(true);
    expect(nonces.use(nonce, null, SOURCE, NOW)).toBe(false);
    expect(nonces.use(nonce, '00000001', SOURCE, NOW)).toBe(false);
  });

  it('of another process, or a forged one, is rejected', () => {
    const nonces = new Nonces();
    const nonce = nonces.issue(SOURCE, NOW);
    expect(new Nonces().use(nonce, '00000001', SOURCE, NOW)).toBe(false);
    for (const forged of ['', 'x', `${nonce}=`, `A${nonce.slice(1)}`, nonce.slice(1)]) {
      if (forged !== nonce) expect(nonces.use(forged, '00000001', SOURCE, NOW)).toBe(false);
    }
  });

  it('cannot be replayed when so many are used that old ones are forgotten', () => {
    const nonces = new Nonces();
    const first = nonces.issue(SOURCE, NOW);
    expect(nonces.use(first, '00000001', SOURCE, NOW)).toBe(true);
    for (let i = 1; i <= 10_001; i += 1) {
      expect(nonces.use(nonces.issue(String(i), NOW + 1), '00000001', String(i), NOW + 1)).toBe(true);
    }
    expect(nonces.use(first, '00000002', SOURCE, NOW + 1)).toBe(false);
  });
});
