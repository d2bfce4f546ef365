import { generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { ServiceAccountTokens } from './service-account.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const KEY = JSON.stringify({ client_email: 'a@b.example', private_key: privateKey, private_key_id: 'k1' });
const MINUTE_MS = 60_000;

describe('ServiceAccountTokens', () => {
  it('signs a token with the account, the API and a lifetime of one hour', () => {
    const clock = new VirtualClock();
    const [head = '', claims = '', signature = ''] = new ServiceAccountTokens(
      'p',
      'https://api.example/',
      clock,
    )
      .tokenOf(KEY)
      .split('.');
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    const nowS = Math.floor(clock.wallMs() / 1000);
    expect(read(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
    expect(read(claims)).toEqual({
      iss: 'a@b.example',
      sub: 'a@b.example',
      aud: 'https://api.example/',
      iat: nowS,
      exp: nowS + 3600,
    });
    const signed = Buffer.from(`${head}.${claims}`);
    expect(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('reuses a token until ten minutes before it expires', async () => {
    const clock = new VirtualClock();
    const tokens = new ServiceAccountTokens('p', 'https://api.example/', clock);
    const first = tokens.tokenOf(KEY);
    await clock.advance(49 * MINUTE_MS);
    expect(tokens.tokenOf(KEY)).toBe(first);
    await clock.advance(2 * MINUTE_MS);
    expect(tokens.tokenOf(KEY)).not.toBe(first);
  });

  it.each(['', 'AIza-some-key', '{"client_email":"a@b.example"}', KEY.replace('BEGIN', 'BEGONE')])(
    'throws "unavailable" for an invalid key, without a cause that could contain the key',
    (key) => {
      const tokens = new ServiceAccountTokens('p', 'https://api.example/', new VirtualClock());
      let thrown: unknown;
      try {
        tokens.tokenOf(key);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({ kind: 'unavailable' });
      expect(thrown).not.toHaveProperty('cause');
    },
  );
});
