import { randomBytes, randomInt } from 'node:crypto';
import { v5, v7 } from 'uuid';

/** A UUID version 7 (RFC 9562): ordered by creation time. */
export function newId(): string {
  return v7();
}

/** A UUID version 5: the same for equal names in the same namespace, which is a UUID. */
export function nameBasedId(name: string, namespace: string): string {
  return v5(name, namespace);
}

const ALPHANUMERICS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** `length` characters of [A-Za-z0-9] from the system's secure random source. */
export function randomAlphanumeric(length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) text += ALPHANUMERICS.charAt(randomInt(ALPHANUMERICS.length));
  return text;
}

/** `byteLength` random bytes as base64url. */
export function randomSecret(byteLength: number): string {
  return randomBytes(byteLength).toString('base64url');
}
