import { describe, expect, it } from '@jest/globals';
import { isUuid } from '@calls/foundation/schema/objects';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import { openContent, receiverIdOf, sealContent } from './write-deliveries.ts';

const ACCOUNT = '01a1fd5d-0000-7000-8000-000000000001';
const OTHER = '01a1fd5d-0000-7000-8000-000000000002';

describe('the receiver at a URL', () => {
  it('is one for an account and an origin', () => {
    const receiver = receiverIdOf(ACCOUNT, 'https://example.com/joined');
    expect(isUuid(receiver)).toBe(true);
    expect(receiverIdOf(ACCOUNT, 'https://EXAMPLE.com:443/ended?a=b')).toBe(receiver);
    const others = [
      receiverIdOf(OTHER, 'https://example.com/joined'),
      receiverIdOf(ACCOUNT, 'http://example.com/joined'),
      receiverIdOf(ACCOUNT, 'https://example.com:8443/joined'),
      receiverIdOf(ACCOUNT, 'https://hooks.example.com/joined'),
    ];
    expect(new Set([receiver, ...others]).size).toBe(5);
  });
});

describe('delivery content', () => {
  it('is sealed for its account', () => {
    const box = createSecretBox(['a key of enough characters']);
    const content = { body: '{"event":"call.ended"}', secrets: ['a secret of sixteen'] };
    const sealed = sealContent(box, ACCOUNT, content);
    expect(sealed).not.toMatch(/call\.ended|sixteen/u);
    expect(openContent(box, ACCOUNT, sealed)).toEqual(content);
    expect(() => openContent(box, OTHER, sealed)).toThrow();
  });
});
