import { EnvReader } from '@calls/foundation/env-reader';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readEncryptionKeys } from './encryption-keys.ts';
import { createSecretBox, prefixOfSecret, reseal, SecretBoxError } from './secret-box.ts';

const OLD_KEY = 'an old key of enough characters';
const NEW_KEY = 'a new key of enough characters';
const SECRET = 'whsec_0123456789abcdef';

function errorOf(run: () => unknown): SecretBoxError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof SecretBoxError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

describe('a secret box', () => {
  const box = createSecretBox([NEW_KEY]);

  it('decrypts what it encrypted, for any text and context', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (plain, context) => {
        const sealed = box.seal(plain, context);
        expect(box.isSealed(sealed)).toBe(true);
        expect(sealed).toMatch(/^[\w:-]+$/u);
        expect(box.open(sealed, context)).toBe(plain);
      }),
    );
  });

  it('decrypts what another process encrypted with the same key', () => {
    expect(createSecretBox([NEW_KEY]).open(box.seal(SECRET))).toBe(SECRET);
  });

  it('decrypts what an earlier release encrypted', () => {
    const stored =
      'sealed:v1:a88d3df7b787:01_WJ4AACLMEFRgnF-L6o8YdTWY2r_P8QLd5IBlU0fJ806GAG5Md3Te5k-AWhDy_RvY';
    expect(box.open(stored, 'calls:1')).toBe(SECRET);
  });

  it('never returns the same ciphertext twice', () => {
    expect(new Set(Array.from({ length: 100 }, () => box.seal(SECRET))).size).toBe(100);
  });

  it('encrypts text that looks encrypted like any other text', () => {
    const sealed = box.seal(SECRET);
    const twice = box.seal(sealed);
    expect(box.open(twice)).toBe(sealed);
  });

  it('does not decrypt with another context', () => {
    const sealed = box.seal(SECRET, 'calls:1');
    for (const context of ['calls:2', 'agents:1', '']) {
      expect(errorOf(() => box.open(sealed, context)).code).toBe('not_openable');
    }
    expect(errorOf(() => box.open(box.seal(SECRET), 'calls:1')).code).toBe('not_openable');
  });

  it('does not decrypt after any character was changed', () => {
    const sealed = box.seal(SECRET, 'calls:1');
    for (let index = 0; index < sealed.length; index += 1) {
      const other = sealed[index] === 'A' ? 'B' : 'A';
      const altered = sealed.slice(0, index) + other + sealed.slice(index + 1);
      const error = errorOf(() => box.open(altered, 'calls:1'));
      expect(error.retryable).toBe(false);
      expect(error.message).not.toContain(SECRET);
    }
  });

  it('accepts only one base64 encoding of a ciphertext: unused bits must be zero', () => {
    const sealed = box.seal('x');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const opening = Array.from(alphabet).filter((last) => {
      try {
        return box.open(sealed.slice(0, -1) + last) === 'x';
      } catch {
        return false;
      }
    });
    expect(opening).toEqual([sealed.at(-1)]);
  });

  it('rejects text that is not encrypted, without the text in the message', () => {
    const { keyId } = /sealed:v1:(?<keyId>\w+):/u.exec(box.seal(''))?.groups ?? {};
    const tooShort = `sealed:v1:${keyId}:${'A'.repeat(37)}`;
    for (const text of ['', SECRET, 'sealed:v1:', 'sealed:v2:0123:x', ` ${box.seal(SECRET)}`, tooShort]) {
      expect(box.isSealed(text)).toBe(false);
      const error = errorOf(() => box.open(text));
      expect(error.code).toBe('not_sealed');
      if (text !== '') expect(error.message).not.toContain(text);
    }
  });
});

describe('key rotation', () => {
  const before = createSecretBox([OLD_KEY]);
  const during = createSecretBox([NEW_KEY, OLD_KEY]);
  const after = createSecretBox([NEW_KEY]);

  it('decrypts with any listed key and encrypts with the first', () => {
    const old = before.seal(SECRET);
    expect(during.open(old)).toBe(SECRET);
    expect(during.needsResealing(old)).toBe(true);
    const resealed = during.seal(during.open(old));
    expect(during.needsResealing(resealed)).toBe(false);
    expect(after.open(resealed)).toBe(SECRET);
    expect(errorOf(() => after.open(old)).code).toBe('unknown_key');
    expect(errorOf(() => before.open(resealed)).code).toBe('unknown_key');
  });

  it('re-encrypts what older keys encrypted for a context and leaves the rest unchanged', () => {
    const newest = during.seal(SECRET, 'calls:1');
    const elsewhere = before.seal(SECRET, 'calls:2');
    const fake = `sealed:v1:${during.olderKeyIds[0]}:${'A'.repeat(50)}B`;
    const stored = { a: [before.seal(SECRET, 'calls:1'), newest], b: { elsewhere, fake, text: 'x', n: 1 } };
    const resealed = reseal(stored, during, 'calls:1');
    expect(resealed).toEqual({ ...stored, a: [expect.any(String), newest] });
    expect(after.open(resealed.a[0]!, 'calls:1')).toBe(SECRET);
    expect(reseal(before.seal('x', 'c'), during, 'c')).not.toContain(during.olderKeyIds[0]);
    expect(after.olderKeyIds).toEqual([]);
  });

  it('leaves JSON without encrypted texts unchanged, also names of inherited properties', () => {
    const hostile: unknown = JSON.parse('{"a":[{"__proto__":"x","constructor":"y"}]}');
    expect(JSON.stringify(reseal(hostile, during, 'c'))).toBe('{"a":[{"__proto__":"x","constructor":"y"}]}');
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(reseal(value, during, 'c')).toEqual(value)));
  });

  it('rejects weak keys, and an empty list of keys', () => {
    expect(errorOf(() => createSecretBox(['short'])).message).not.toContain('short');
    expect(errorOf(() => createSecretBox([])).code).toBe('weak_secret');
  });
});

describe('ENCRYPTION_KEY', () => {
  it('holds several keys, newest first', () => {
    const env = new EnvReader({ ENCRYPTION_KEY: `${NEW_KEY}, ${OLD_KEY}` });
    expect(readEncryptionKeys(env)).toEqual([NEW_KEY, OLD_KEY]);
    expect(() => env.finish()).not.toThrow();
  });

  it.each([
    ['missing', undefined],
    ['a short key', 'tooshort'],
    ['a short second key', `${NEW_KEY},tooshort`],
    ['an empty second key', `${NEW_KEY},`],
  ])('is rejected: %s', (_, text) => {
    const env = new EnvReader({ ENCRYPTION_KEY: text });
    readEncryptionKeys(env);
    expect(() => env.finish()).toThrow(/^(?!.*tooshort).*ENCRYPTION_KEY/su);
  });
});

describe('prefixOfSecret', () => {
  it.each([
    ['', ''],
    ['abc', ''],
    ['0123456789abcdef', '0123'],
    ['0123456789abcdefghijklmnopqrstuv', '01234567'],
    ['x'.repeat(2000), 'x'.repeat(8)],
  ])('returns the first characters of %j', (secret, prefix) => {
    expect(prefixOfSecret(secret)).toBe(prefix);
  });

  it('returns at most a quarter of the secret, and well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (secret) => {
        const prefix = prefixOfSecret(secret);
        expect(Array.from(prefix).length * 4).toBeLessThanOrEqual(Array.from(secret).length);
        expect(prefix.isWellFormed()).toBe(true);
      }),
    );
  });
});
