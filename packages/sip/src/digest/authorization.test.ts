import { describe, expect, it } from '@jest/globals';
import type { SipResponse } from '../message/message.ts';
import { challengeHeaders, readAuthorization } from './authorization.ts';
import { Authenticator } from './authenticator.ts';
import { digestResponse } from './response.ts';

const URI = 'sip:agent@a.sip.test';
const REQUEST = { kind: 'request', method: 'INVITE', uri: URI, headers: [], body: '' } as const;

/** The headers with which a client responds to the challenges. */
function answered(headers: SipResponse['headers'], password = 'secret') {
  const response: SipResponse = { kind: 'response', status: 401, reason: '', headers, body: '' };
  return new Authenticator({ username: 'a"b', password }).authorizationFor(response, REQUEST) ?? [];
}

describe('readAuthorization', () => {
  it.each([
    [0, 'SHA-256', 'sha256'],
    [1, 'MD5', 'md5'],
  ] as const)('reads the response to challenge %i, which uses the algorithm %s', (index, algorithm, hash) => {
    const headers = answered(challengeHeaders('a.sip.test', 'a nonce', false).slice(index, index + 1));
    const read = readAuthorization(headers, 'a.sip.test');
    expect(read).toMatchObject({
      username: 'a"b',
      nonce: 'a nonce',
      uri: URI,
      algorithm,
      nonceCount: '00000001',
    });
    const qop = { nonceCount: read?.nonceCount ?? '', cnonce: read?.cnonce ?? '' };
    const input = { hash, isSession: false, ...read!, method: 'INVITE', qop };
    expect(read?.response).toBe(digestResponse(input, 'secret'));
    expect(read?.response).not.toBe(digestResponse(input, 'another'));
  });

  it('returns null for another realm and for malformed headers', () => {
    const [header] = answered(challengeHeaders('a.sip.test', 'n', false));
    const value = header?.[1] ?? '';
    expect(readAuthorization([['Authorization', value]], 'b.sip.test')).toBeNull();
    for (const broken of [
      '',
      'Basic YTpi',
      'Digest',
      value.replace(/response="\w/u, 'response="'),
      value.replace('nc=00000001', 'nc=1'),
      value.replace('qop=auth', 'qop=auth-int'),
      value.replace('SHA-256', 'SHA-512-256'),
      value.replace(/username="[^,]*"/u, `username="${'x'.repeat(300)}"`),
    ]) {
      expect(readAuthorization([['Authorization', broken]], 'a.sip.test')).toBeNull();
    }
    expect(readAuthorization([['proxy-authorization', value]], 'a.sip.test')).not.toBeNull();
  });
});
