import { describe, expect, it } from '@jest/globals';
import { Nonces } from './nonces.ts';

const SOURCE = '192.0.2.1';
const NOW = 1_800_000_000_000;

describe('Nonces', () => {
  it('accepts a nonce with growing counts until it expires, only from the source that it was issued to', () => {
    const nonces = new Nonces();
    const nonce = nonces.issue(SOURCE, NOW);
    expect(nonces.use(nonce, '00000001', '192.0.2.2', NOW)).toBe(false);
    expect(nonces.use(nonce, '00000001', SOURCE, NOW)).toBe(true);
    expect(nonces.use(nonce, '00000001', SOURCE, NOW)).toBe(false);
    expect(nonces.use(nonce, '0000000a', SOURCE, NOW + 59_999)).toBe(true);
    expect(nonces.use(nonce, '00000002', SOURCE, NOW + 59_999)).toBe(false);
    expect(nonces.use(nonce, '0000000b', SOURCE, NOW + 60_000)).toBe(false);
  });

  it('accepts a nonce without a count only once', () => {
    const nonces = new Nonces();
    const nonce = nonces.issue(SOURCE, NOW);
    expect(nonces.use(nonce, null, SOURCE, NOW)).toBe(true);
    expect(nonces.use(nonce, null, SOURCE, NOW)).toBe(false);
    expect(nonces.use(nonce, '00000001', SOURCE, NOW)).toBe(false);
  });

  it('rejects forged nonces and nonces of another process', () => {
    const nonces = new Nonces();
    const nonce = nonces.issue(SOURCE, NOW);
    expect(new Nonces().use(nonce, '00000001', SOURCE, NOW)).toBe(false);
    for (const forged of ['', 'x', `${nonce}=`, `A${nonce.slice(1)}`, nonce.slice(1)]) {
      if (forged !== nonce) expect(nonces.use(forged, '00000001', SOURCE, NOW)).toBe(false);
    }
  });

  it('rejects a used nonce after its count was discarded because too many nonces were used', () => {
    const nonces = new Nonces();
    const first = nonces.issue(SOURCE, NOW);
    expect(nonces.use(first, '00000001', SOURCE, NOW)).toBe(true);
    for (let i = 1; i <= 10_001; i += 1) {
      expect(nonces.use(nonces.issue(String(i), NOW + 1), '00000001', String(i), NOW + 1)).toBe(true);
    }
    expect(nonces.use(first, '00000002', SOURCE, NOW + 1)).toBe(false);
  });
});
