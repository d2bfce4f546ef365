import { describe, expect, it } from '@jest/globals';
import type { KeyHolder } from '@calls/store/tables/api-keys';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { generateApiKey, hashOf, isApiKey, prefixOf } from './api-key.ts';
import { KeyAuthenticator } from './key-authenticator.ts';
import { KeyLookUps } from './key-look-ups.ts';

function harness() {
  const clock = new VirtualClock();
  const keys = new Map<string, KeyHolder>();
  const state = { lookUps: 0, broken: false };
  const lookUps = new KeyLookUps((prefixes) => {
    state.lookUps += 1;
    if (state.broken) return Promise.reject(new Error('down'));
    return Promise.resolve(prefixes.flatMap((prefix) => keys.get(prefix) ?? []));
  });
  const used: string[] = [];
  const authenticator = new KeyAuthenticator(lookUps, clock, ({ prefix }) => used.push(prefix));
  const add = (expiresAt: Date | null = null): string => {
    const key = generateApiKey();
    keys.set(prefixOf(key), {
      keyId: prefixOf(key),
      prefix: prefixOf(key),
      hash: hashOf(key),
      expiresAt,
      accountId: 'a',
      role: 'administrator',
      lastUsedAt: null,
      plan: 'SCALE',
      features: [],
      limits: {},
      isSuspended: false,
    });
    return key;
  };
  return { clock, keys, state, authenticator, add, used };
}

describe('API key', () => {
  it('has the documented form', () => {
    const key = generateApiKey();
    expect(key).toMatch(/^[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}$/);
    expect(isApiKey(key)).toBe(true);
    for (const bad of ['', 'x', `${key}x`, key.replace('.', '-'), ` ${key}`])
      expect(isApiKey(bad)).toBe(false);
  });
});

describe('KeyAuthenticator', () => {
  it('compares the whole key, not only its prefix', async () => {
    const { authenticator, add } = harness();
    const key = add();
    expect((await authenticator.authenticate(key))?.accountId).toBe('a');
    const forged = `${prefixOf(key)}.${'x'.repeat(32)}`;
    expect(await authenticator.authenticate(forged)).toBeNull();
    expect(await authenticator.authenticate(generateApiKey())).toBeNull();
  });

  it('looks a key up once in five seconds, and once for concurrent requests', async () => {
    const { authenticator, add, keys, clock, state } = harness();
    const key = add();
    await Promise.all([1, 2, 3].map(() => authenticator.authenticate(key)));
    expect(state.lookUps).toBe(1);
    keys.delete(prefixOf(key));
    expect(await authenticator.authenticate(key)).not.toBeNull();
    await clock.advance(5001);
    expect(await authenticator.authenticate(key)).toBeNull();
    expect(state.lookUps).toBe(2);
  });

  it('looks up many keys in batches, and does not evict known keys for unknown ones', async () => {
    const { authenticator, add, keys, state } = harness();
    const key = add();
    expect(await authenticator.authenticate(key)).not.toBeNull();
    keys.delete(prefixOf(key));
    const guesses = Array.from({ length: 11_000 }, () => authenticator.authenticate(generateApiKey()));
    expect(new Set(await Promise.all(guesses))).toEqual(new Set([null]));
    expect(state.lookUps).toBe(1 + 22);
    expect(await authenticator.authenticate(key)).not.toBeNull();
    expect(state.lookUps).toBe(1 + 22);
  });

  it('refuses a key from the moment it expires', async () => {
    const { authenticator, add, clock } = harness();
    const key = add(new Date(clock.wallMs() + 1000));
    expect(await authenticator.authenticate(key)).not.toBeNull();
    await clock.advance(1000);
    expect(await authenticator.authenticate(key)).toBeNull();
  });

  it('passes on a lookup error and does not cache it', async () => {
    const { authenticator, add, state } = harness();
    const key = add();
    state.broken = true;
    await expect(authenticator.authenticate(key)).rejects.toThrow('down');
    state.broken = false;
    expect(await authenticator.authenticate(key)).not.toBeNull();
  });

  it('records the use of a key at most once a minute, and not with a wrong secret', async () => {
    const { authenticator, add, clock, used } = harness();
    const key = add();
    await authenticator.authenticate(`${prefixOf(key)}.${'x'.repeat(32)}`);
    expect(used).toEqual([]);
    await authenticator.authenticate(key);
    await authenticator.authenticate(key);
    expect(used).toEqual([prefixOf(key)]);
    await clock.advance(60_000);
    await authenticator.authenticate(key);
    expect(used).toEqual([prefixOf(key), prefixOf(key)]);
  });
});
