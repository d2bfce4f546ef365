import { describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { createJoinTokens } from './join-tokens.ts';

const SECRET = 'a secret of enough characters';
const CALL_ID = '0190f3a0-0000-7000-8000-000000000001';
const START_MS = Date.UTC(2026, 0, 1);

describe('createJoinTokens', () => {
  it('signs tokens that equal those of jose', async () => {
    const token = await createJoinTokens([SECRET]).sign({ callId: CALL_ID, expiresAtMs: START_MS + 1 });
    const expected = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience('join')
      .setSubject(CALL_ID)
      .setExpirationTime(Math.ceil((START_MS + 1) / 1000))
      .sign(new TextEncoder().encode(SECRET));
    expect(token).toBe(expected);
  });

  it('accepts a token for the call it was signed for, until it expires', async () => {
    let nowMs = START_MS;
    const tokens = createJoinTokens([SECRET], () => nowMs);
    const token = await tokens.sign({ callId: CALL_ID, expiresAtMs: START_MS + 30_000 });
    expect(await tokens.verify(token)).toEqual({ callId: CALL_ID });
    nowMs += 29_000;
    expect(await tokens.verify(token)).toEqual({ callId: CALL_ID });
    nowMs += 2_000;
    expect(await tokens.verify(token)).toBeNull();
  });

  it('accepts tokens of another process with the same secret only', async () => {
    const token = await createJoinTokens([SECRET]).sign({
      callId: CALL_ID,
      expiresAtMs: Date.now() + 60_000,
    });
    expect(await createJoinTokens([SECRET]).verify(token)).toEqual({ callId: CALL_ID });
    expect(await createJoinTokens([`${SECRET}!`]).verify(token)).toBeNull();
  });

  it('accepts tokens that an older secret signed, and signs with the newest', async () => {
    const older = await createJoinTokens([SECRET]).sign({
      callId: CALL_ID,
      expiresAtMs: Date.now() + 60_000,
    });
    const rotated = createJoinTokens([`${SECRET}!`, SECRET]);
    expect(await rotated.verify(older)).toEqual({ callId: CALL_ID });
    const newer = await rotated.sign({ callId: CALL_ID, expiresAtMs: Date.now() + 60_000 });
    expect(await createJoinTokens([`${SECRET}!`]).verify(newer)).toEqual({ callId: CALL_ID });
    expect(await createJoinTokens([SECRET]).verify(newer)).toBeNull();
    expect(await createJoinTokens([SECRET, `${SECRET}!`]).verify(newer)).toEqual({ callId: CALL_ID });
    const expired = await createJoinTokens([SECRET]).sign({ callId: CALL_ID, expiresAtMs: START_MS });
    expect(await rotated.verify(expired)).toBeNull();
  });

  it('rejects tampered, foreign and unsigned tokens', async () => {
    const tokens = createJoinTokens([SECRET]);
    const token = await tokens.sign({ callId: CALL_ID, expiresAtMs: Date.now() + 60_000 });
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const key = new TextEncoder().encode(SECRET);
    const forOther = new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(CALL_ID)
      .setExpirationTime('1h');
    const eternal = new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(CALL_ID)
      .setAudience('join');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const forged = Buffer.from(JSON.stringify({ sub: 'x', aud: 'join', exp: 9e9 })).toString('base64url');
    const bad = [
      '',
      'x',
      `${header}.${forged}.${signature}`,
      `${none}.${payload}.`,
      `${token}x`,
      await forOther.setAudience('tool').sign(key),
      await eternal.sign(key),
      'a'.repeat(5000),
    ];
    for (const text of bad) expect(await tokens.verify(text)).toBeNull();
  });

  it('rejects a weak secret', () => {
    for (const secrets of [['short'], [SECRET, 'short'], []]) {
      expect(() => createJoinTokens(secrets)).toThrow('at least 16');
    }
  });
});
