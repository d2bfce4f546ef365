import { describe, expect, it } from '@jest/globals';
import { isLocal, isPrivate } from './hosts.ts';

describe('isLocal and isPrivate', () => {
  it.each(['localhost', 'a.localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])(
    'classify %s as this machine',
    (host) => {
      expect(isLocal(host)).toBe(true);
    },
  );

  it.each(['10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1', '[fe80::1]'])(
    'classify %s as private',
    (host) => {
      expect(isLocal(host)).toBe(false);
      expect(isPrivate(host)).toBe(true);
    },
  );

  it.each(['192.0.2.1', '172.32.0.1', '2001:db8::1', 'calls.example.com'])(
    'classify %s as public',
    (host) => {
      expect(isLocal(host) || isPrivate(host)).toBe(false);
    },
  );
});
