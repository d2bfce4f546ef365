import { describe, expect, it } from '@jest/globals';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { digestAnswer } from './answer.ts';
import { Authenticator } from './authenticator.ts';
import { challengesOf } from './challenge.ts';

function challenged(...challenges: string[]): SipResponse {
  const headers = challenges.map((each) => ['WWW-Authenticate', each] as const);
  return { kind: 'response', status: 401, reason: '', headers, body: '' };
}

const INVITE: SipRequest = { kind: 'request', method: 'INVITE', uri: 'sip:b@test', headers: [], body: '' };

/** The `response` for the example request of the RFCs. */
function responseOf(challenge: string, password: string, cnonce: string): string | undefined {
  const [first] = challengesOf(challenged(challenge));
  if (!first) throw new Error('can’t be answered');
  const request = { method: 'GET', uri: '/dir/index.html', nonceCount: 1, cnonce };
  const answer = digestAnswer(first, { username: 'Mufasa', password }, request);
  return /response="(?<hash>\w+)"/u.exec(answer)?.groups?.['hash'];
}

describe('digestAnswer', () => {
  const nonce = 'realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';

  it('matches the example of RFC 2617, section 3.5', () => {
    expect(responseOf(`Digest ${nonce}, qop="auth,auth-int"`, 'Circle Of Life', '0a4f113b')).toBe(
      '6629fae49393a05397450978507c4ef1',
    );
  });

  it('follows RFC 2069 if the challenge has no qop', () => {
    // MD5("939e7578ed9e3c518a452acee763bce9:<nonce>:39aff3a2bab6126f332b942af96d3366"), RFC 2617's two halves.
    expect(responseOf(`Digest ${nonce}`, 'Circle Of Life', 'unused')).toBe(
      '670fd8c2df070c60b045671b8b24ff02',
    );
  });

  it.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('with %s matches the example of RFC 7616, section 3.9.1', (algorithm, expected) => {
    const challenge = `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
    expect(responseOf(challenge, 'Circle of Life', 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ')).toBe(
      expected,
    );
  });

  it('escapes quotes in the username and the realm', () => {
    const answers = new Authenticator({ username: 'a"b', password: 'x' }).authorizationFor(
      challenged(String.raw`Digest realm="r\"q", nonce="n,1"`),
      INVITE,
    );
    expect(answers?.[0]?.[1]).toMatch(
      /^Digest username="a\\"b", realm="r\\"q", nonce="n,1", uri="sip:b@test"/u,
    );
  });
});

describe('digest challenge', () => {
  it('is the first of its realm that has a supported algorithm', () => {
    const all = challengesOf(
      challenged(
        'Digest realm="r", nonce="1", algorithm=SHA-512-256',
        'Digest realm="r", nonce="2", algorithm=sha-256',
        'Digest realm="r", nonce="3"',
      ),
    );
    expect(all.map(({ nonce, hash }) => [nonce, hash])).toEqual([['2', 'sha256']]);
  });

  it.each(['Basic realm="r"', 'Digest realm="r"', 'Digest realm="r", nonce="n", qop="auth-int"', ''])(
    'is ignored if it is unsupported or malformed: %j',
    (challenge) => {
      const authenticator = new Authenticator({ username: 'a', password: 'b' });
      expect(authenticator.authorizationFor(challenged(challenge), INVITE)).toBeNull();
    },
  );

  it('is answered once, and a limited number of times again when the nonce is stale', () => {
    const authenticator = new Authenticator({ username: 'a', password: 'b' });
    const once = 'Digest realm="r", nonce="1"';
    expect(authenticator.authorizationFor(challenged(once), INVITE)).toHaveLength(1);
    expect(authenticator.authorizationFor(challenged(once), INVITE)).toBeNull();
    const stale = (): unknown => authenticator.authorizationFor(challenged(`${once}, stale=TRUE`), INVITE);
    expect([stale(), stale(), stale()].map((each) => each === null)).toEqual([false, false, true]);
  });
});
