import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { AppError } from '@calls/foundation/errors';
import { MIN_SECRET_LENGTH } from '@calls/foundation/variable';
import { deriveCipherKey, type CipherKey } from './encryption-keys.ts';

/**
 * Encrypts secrets for storage. `context` (`calls:<accountId>`) binds a sealed text to its place: it opens only with
 * the same context, so it cannot be moved to another row.
 */
export interface SecretBox {
  /** Returns a different text each time. Text that is already sealed is sealed again. */
  seal(plain: string, context?: string): string;
  /**
   * Throws a SecretBoxError if the text is not sealed, was sealed with an unknown key or for another context, or was
   * altered.
   */
  open(sealed: string, context?: string): string;
  /** Whether the text has the format of a sealed text; only `open` verifies it. */
  isSealed(text: string): boolean;
  /** Whether the text was sealed with an older key. Throws if it is not sealed. */
  needsResealing(sealed: string): boolean;
  /** The same text for the same secret until the keys change. It does not reveal the secret. */
  fingerprint(plain: string, context?: string): string;
  /** Ids of the older keys, which open but no longer seal. */
  readonly olderKeyIds: readonly string[];
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^sealed:v1:(?<keyId>[0-9a-f]{12}):(?<box>[\w-]{38,})$/u;

/** `keys`: newest first; the first one seals, all open. Processes with the same keys open each other's texts. */
export function createSecretBox(keys: readonly string[]): SecretBox {
  if (keys.some((key) => key.length < MIN_SECRET_LENGTH)) {
    throw new SecretBoxError(
      'weak_secret',
      `an encryption key must have at least ${MIN_SECRET_LENGTH} characters`,
    );
  }
  const cipherKeys = keys.map(deriveCipherKey);
  const [newest] = cipherKeys;
  if (newest === undefined) throw new SecretBoxError('weak_secret', 'an encryption key is required');
  const byId = new Map(cipherKeys.map((key) => [key.id, key]));
  return {
    seal(plain, context = '') {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, newest.bytes, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(associatedData(newest, context));
      const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      const box = Buffer.concat([nonce, encrypted, cipher.getAuthTag()]);
      return `sealed:v1:${newest.id}:${box.toString('base64url')}`;
    },
    open(sealed, context = '') {
      const { keyId, box } = parse(sealed);
      const key = byId.get(keyId);
      if (key === undefined) throw new SecretBoxError('unknown_key', `no key ${keyId} is configured`);
      const decipher = createDecipheriv(CIPHER, key.bytes, box.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(associatedData(key, context));
      decipher.setAuthTag(box.subarray(-TAG_BYTES));
      const plain = decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES));
      try {
        return Buffer.concat([plain, decipher.final()]).toString('utf8');
      } catch {
        throw new SecretBoxError('not_openable', 'the sealed text was altered or belongs to another context');
      }
    },
    isSealed: (text) => SEALED.test(text),
    needsResealing: (sealed) => parse(sealed).keyId !== newest.id,
    fingerprint: (plain, context = '') =>
      createHmac('sha256', newest.fingerprintBytes)
        .update(JSON.stringify([context, plain]))
        .digest('base64url'),
    olderKeyIds: cipherKeys.map(({ id }) => id).filter((id) => id !== newest.id),
  };
}

function parse(sealed: string): { keyId: string; box: Buffer } {
  const { keyId, box: text } = SEALED.exec(sealed)?.groups ?? {};
  const box = Buffer.from(text ?? '', 'base64url');
  // Enforces canonical base64: the unused bits of the last character must be zero.
  if (keyId === undefined || box.toString('base64url') !== text) {
    throw new SecretBoxError('not_sealed', 'the text is not sealed');
  }
  return { keyId, box };
}

function associatedData(key: CipherKey, context: string): Buffer {
  return Buffer.from(`v1:${key.id}:${context}`, 'utf8');
}

/**
 * `weak_secret`, `not_sealed`, `unknown_key` (not configured) or `not_openable`. The message contains no part of a
 * secret, sealed text or key.
 */
export class SecretBoxError extends AppError {}

const MAX_CHARACTERS = 8;
const SHOWN_PART = 1 / 4;

/**
 * The part of a stored secret that may be shown, so that its owner can identify it: its first characters, at most a
 * quarter.
 */
export function prefixOfSecret(secret: string): string {
  const characters = Array.from(secret);
  return characters.slice(0, Math.min(MAX_CHARACTERS, Math.floor(characters.length * SHOWN_PART))).join('');
}

/**
 * A copy with the texts that an older key sealed for this context sealed with the newest one. Other texts are
 * unchanged, including those that only look sealed or belong to another context.
 */
export function reseal<T>(value: T, box: SecretBox, context: string): T {
  return mapTexts(value, (text) => {
    if (!box.isSealed(text)) return text;
    try {
      return box.needsResealing(text) ? box.seal(box.open(text, context), context) : text;
    } catch (thrown) {
      if (thrown instanceof SecretBoxError) return text;
      throw thrown;
    }
  }) as T;
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}
