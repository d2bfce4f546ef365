import { describe, expect, it } from '@jest/globals';
import { fingerprintOf } from './fingerprint.ts';
import { LocalDtls, readDtls } from './dtls-description.ts';

const SHA_256 = fingerprintOf('sha-256', Buffer.alloc(32, 0xab));
const OTHER = fingerprintOf('sha-256', Buffer.alloc(32, 0xcd));
const FINGERPRINT = `a=fingerprint:SHA-256 ${SHA_256.value.toLowerCase()}`;
const TLS_ID = '0123456789abcdefghij';

function sdp(session: readonly string[], ...sections: (readonly string[])[]): string {
  const media = sections.flatMap((lines) => ['m=audio 4000 UDP/TLS/RTP/SAVP 0', ...lines]);
  return ['v=0', 's=-', ...session, ...media, ''].join('\r\n');
}

describe('readDtls', () => {
  it('reads the attributes of a media section', () => {
    const text = sdp([], [], [FINGERPRINT, 'a=setup:actpass', `a=tls-id:${TLS_ID}`]);
    expect(readDtls(text, 1)).toEqual({ setup: 'actpass', fingerprints: [SHA_256], tlsId: TLS_ID });
    expect(readDtls(text, 0)).toBeNull();
    expect(readDtls(text, 2)).toBeNull();
  });

  it('falls back to session attributes when the media section has none', () => {
    const own = `a=fingerprint:sha-256 ${OTHER.value}`;
    const text = sdp([FINGERPRINT, 'a=setup:active'], [], [own, 'a=setup:passive']);
    expect(readDtls(text, 0)).toEqual({ setup: 'active', fingerprints: [SHA_256], tlsId: null });
    expect(readDtls(text, 1)).toMatchObject({ setup: 'passive', fingerprints: [OTHER] });
  });

  it('returns only fingerprints with a supported hash', () => {
    const sha1 = `a=fingerprint:sha-1 ${Array.from({ length: 20 }, () => 'AB').join(':')}`;
    const text = sdp([], ['a=setup:active', FINGERPRINT, sha1], ['a=setup:active', sha1]);
    expect(readDtls(text, 0)).toMatchObject({ fingerprints: [SHA_256] });
    expect(readDtls(text, 1)).toBeNull();
  });

  it.each([
    ['no setup', [FINGERPRINT]],
    ['an unknown setup', [FINGERPRINT, 'a=setup:both']],
    ['the setup value holdconn', [FINGERPRINT, 'a=setup:holdconn']],
    ['no fingerprint', ['a=setup:active']],
    ['a short fingerprint', ['a=setup:active', FINGERPRINT.slice(0, -3)]],
    ['a fingerprint that is not hexadecimal', ['a=setup:active', `${FINGERPRINT.slice(0, -1)}g`]],
  ])('returns null for %s', (_, lines) => {
    expect(readDtls(sdp([], lines), 0)).toBeNull();
  });
});

describe('LocalDtls', () => {
  const remote = (
    setup: 'active' | 'passive' | 'actpass',
    fingerprint = SHA_256,
    tlsId: string | null = null,
  ) => ({
    setup,
    fingerprints: [fingerprint],
    tlsId,
  });

  it('lets the peer be the DTLS client when possible', () => {
    for (const [setup, role] of [
      ['active', 'server'],
      ['actpass', 'server'],
      ['passive', 'client'],
    ] as const) {
      expect(new LocalDtls(OTHER).negotiate(remote(setup), false)).toMatchObject({ role });
    }
    expect(new LocalDtls(OTHER).negotiate(remote('active'), true)).toMatchObject({ role: 'server' });
    expect(new LocalDtls(OTHER).negotiate(remote('actpass'), true)).toBeNull();
  });

  it('keeps the association and its role until the peer changes its tls-id or fingerprint', () => {
    const local = new LocalDtls(OTHER);
    const first = local.negotiate(remote('passive'), false)!;
    const { tlsId } = local.answer(first);
    expect(local.answer(first)).toMatchObject({ setup: 'active' });
    expect(local.negotiate(remote('actpass'), false)).toBe(first);
    expect(local.offer()).toMatchObject({ setup: 'actpass', tlsId });
    const renewed = local.negotiate(remote('actpass', SHA_256, TLS_ID), false)!;
    expect(renewed.id).not.toBe(first.id);
    expect(local.answer(renewed).tlsId).not.toBe(tlsId);
    expect(local.negotiate(remote('active', OTHER, TLS_ID), false)?.id).not.toBe(renewed.id);
  });
});
