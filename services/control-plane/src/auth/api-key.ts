import { createHash } from 'node:crypto';
import { randomAlphanumeric } from '@calls/foundation/ids';

const PREFIX_LENGTH = 8;
const SECRET_LENGTH = 32;
const FORMAT = /^[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}$/;

/** 8 alphanumerics, a period, 32 alphanumerics. */
export function generateApiKey(): string {
  return `${randomAlphanumeric(PREFIX_LENGTH)}.${randomAlphanumeric(SECRET_LENGTH)}`;
}

export function isApiKey(text: string): boolean {
  return FORMAT.test(text);
}

/** The public part, by which a key is found and shown. */
export function prefixOf(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

/** What is stored. The secret part has 190 random bits: a fast hash can't be searched. */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
