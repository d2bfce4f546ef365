import { describe, expect, it } from '@jest/globals';
import { nextHop, type Hop, type OutboundMethod } from './redirect.ts';

function hop(method: OutboundMethod, url = 'https://a.test/x'): Hop {
  return {
    url: new URL(url),
    method,
    headers: {
      Authorization: 'Bearer x',
      Cookie: 'c',
      'X-Api-Key': 'k',
      'X-Svc-Signature': 's',
      'Content-Type': 'application/json',
      Accept: '*/*',
    },
    body: 'body',
  };
}

describe('nextHop', () => {
  it.each([
    ['POST', 301, 'GET'],
    ['POST', 302, 'GET'],
    ['POST', 303, 'GET'],
    ['PUT', 303, 'GET'],
    ['PUT', 302, 'PUT'],
    ['DELETE', 301, 'DELETE'],
    ['HEAD', 303, 'HEAD'],
    ['POST', 307, 'POST'],
    ['POST', 308, 'POST'],
  ] as const)('turns a %s redirected with %d into a %s', (method, status, expected) => {
    const next = nextHop(hop(method), status, '/y');
    expect(next).toMatchObject({ method: expected, url: new URL('https://a.test/y') });
    const lostBody = expected === 'GET';
    expect(next.body).toBe(lostBody ? undefined : 'body');
    expect('Content-Type' in next.headers).toBe(!lostBody);
    expect(next.headers).toHaveProperty('Authorization');
  });

  it.each(['https://b.test/', 'https://a.test:444/', '//b.test/', 'https://a.test.evil.test/'])(
    'sends no credentials and signatures to the other origin %s',
    (location) => {
      const { headers } = nextHop(hop('PUT'), 307, location);
      expect(headers).toEqual({ 'Content-Type': 'application/json', Accept: '*/*' });
    },
  );

  it('rejects a redirect from https to http', () => {
    expect(() => nextHop(hop('GET'), 302, 'http://a.test/')).toThrow(
      expect.objectContaining({ code: 'outbound_refused', rule: 'downgrade' }),
    );
    expect(nextHop(hop('GET', 'http://a.test/'), 302, 'https://a.test/').url.protocol).toBe('https:');
  });

  it('rejects a malformed location', () => {
    expect(() => nextHop(hop('GET'), 302, 'http://[')).toThrow(
      expect.objectContaining({ code: 'outbound_failed', retryable: false }),
    );
  });
});
