import { createHash } from 'node:crypto';
import { randomAlphanumeric } from '@calls/foundation/ids';

const PREFIX_LENGTH = 8;
const SECRET_LENGTH = 32;
const FORMAT = /^[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}$/;

/** Format: 8 alphanumeric characters, a period, 32 alphanumeric characters. */
export function generateApiKey(): string {
  return `${randomAlphanumeric(PREFIX_LENGTH)}.${randomAlphanumeric(SECRET_LENGTH)}`;
}

export function isApiKey(text: string): boolean {
  return FORMAT.test(text);
}

/** The public part of a key, used for look-ups and display. */
export function prefixOf(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

/** The stored form. The secret part has 190 random bits, so a fast hash cannot be reversed by search. */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
