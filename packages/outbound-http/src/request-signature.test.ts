import { describe, expect, it } from '@jest/globals';
import { callSignatureHeaders, signRequest } from './request-signature.ts';

const AT_MS = Date.UTC(2030, 0, 2, 3, 4, 5, 678);

describe('request signature', () => {
  it('covers the body and the timestamp, which has its UTC offset', () => {
    expect(signRequest('{"event":"x"}', ['a secret of theirs'], AT_MS)).toEqual({
      timestamp: '2030-01-02T03:04:05.678+00:00',
      signature: '8f59e6d6697ed6fc07ccf05e9032d94affe2fb9272543e2292d40b05fb9e0ca5',
    });
  });

  it('contains one signature per secret, in the order of the secrets', () => {
    const [first, second] = ['one secret of theirs', 'another of theirs'].map(
      (secret) => signRequest('body', [secret], AT_MS).signature,
    );
    const both = signRequest('body', ['one secret of theirs', 'another of theirs'], AT_MS);
    expect(both.signature).toBe(`${first},${second}`);
    expect(first).not.toBe(second);
  });

  it('is sent with the requests of a call that has shared secrets, and covers the call ID', () => {
    const secrets = ['one secret of theirs', 'another of theirs'];
    const { timestamp, signature } = signRequest('call-1', secrets, AT_MS);
    expect(callSignatureHeaders('call-1', secrets, AT_MS)).toEqual({
      'X-Svc-Call-ID': 'call-1',
      'X-Svc-Signature-Timestamp': timestamp,
      'X-Svc-Signature': signature,
    });
    expect(callSignatureHeaders('call-1', [], AT_MS)).toEqual({});
  });
});
