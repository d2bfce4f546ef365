import { describe, expect, it } from '@jest/globals';
import { reasonOf } from './reason.ts';

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code });

describe('reasonOf', () => {
  it('returns a description with the code of the error', () => {
    const refused = withCode('connect ECONNREFUSED 192.0.2.1:80', 'ECONNREFUSED');
    expect(reasonOf(refused).text).toBe('no program listens there (ECONNREFUSED)');
    expect(reasonOf(new TypeError('fetch failed', { cause: refused })).text).toBe(
      'no program listens there (ECONNREFUSED)',
    );
    expect(reasonOf(AbortSignal.abort(new DOMException('too late', 'TimeoutError')).reason).text).toBe(
      'no response in time',
    );
  });

  it('returns the message of an error that describes the reason itself', () => {
    expect(reasonOf(new Error('401 Unauthorized')).text).toBe('401 Unauthorized');
    const certificate = withCode('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(reasonOf(new TypeError('fetch failed', { cause: certificate }))).toEqual({
      text: 'self-signed certificate',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });
});
