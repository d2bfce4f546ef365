import { describe, expect, it } from '@jest/globals';
import { createCallTokens } from './call-tokens.ts';
import { createSignedValues } from './signed-values.ts';

const SECRET = 'a secret of enough characters';
const START_MS = Date.UTC(2026, 0, 1);
const CLAIMS = {
  accountId: '0190f3a0-0000-7000-8000-000000000001',
  callId: '0190f3a0-0000-7000-8000-000000000002',
  scopes: ['call.read', 'orders.write'],
  expiresAtMs: START_MS + 30_000,
};

describe('call tokens', () => {
  it('contain their claims, and are valid until they expire', () => {
    let nowMs = START_MS;
    const token = createCallTokens([SECRET]).issue(CLAIMS);
    const tokens = createCallTokens([SECRET], () => nowMs);
    expect(tokens.verify(token)).toEqual(CLAIMS);
    nowMs = CLAIMS.expiresAtMs - 1;
    expect(tokens.verify(token)).toEqual(CLAIMS);
    nowMs += 1;
    expect(tokens.verify(token)).toBeNull();
  });

  it('are accepted when any of the secrets signed them, and are signed with the newest', () => {
    const older = createCallTokens([SECRET]).issue(CLAIMS);
    const rotated = createCallTokens([`${SECRET}!`, SECRET], () => START_MS);
    expect(rotated.verify(older)).toEqual(CLAIMS);
    expect(createCallTokens([`${SECRET}!`], () => START_MS).verify(rotated.issue(CLAIMS))).toEqual(CLAIMS);
    expect(createCallTokens([`${SECRET}!`], () => START_MS).verify(older)).toBeNull();
    expect(() => createCallTokens([])).toThrow('required');
  });

  it('can be read without the secret', () => {
    const [claims = ''] = createCallTokens([SECRET]).issue(CLAIMS).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual(CLAIMS);
  });

  it('are rejected when they are forged, signed with another secret or issued for another purpose', () => {
    const tokens = createCallTokens([SECRET], () => START_MS);
    const token = tokens.issue(CLAIMS);
    const [claims = '', signature = ''] = token.split('.');
    const more = Buffer.from(JSON.stringify({ ...CLAIMS, scopes: ['call.send_data_message'] }));
    const bad = [
      '',
      '.',
      claims,
      `${claims}.`,
      `${more.toString('base64url')}.${signature}`,
      `${token}x`,
      `${token}.${signature}`,
      createCallTokens([`${SECRET}!`]).issue(CLAIMS),
      createSignedValues([SECRET], 'upload URLs').encode('call', CLAIMS),
      createSignedValues([SECRET], 'call tokens').encode('upload', CLAIMS),
    ];
    for (const text of bad) expect(tokens.verify(text)).toBeNull();
  });
});
