import type { DigestName } from './openssl.ts';

/** Hash of a certificate, as in `a=fingerprint` (RFC 8122). */
export interface Fingerprint {
  hash: DigestName;
  /** Upper-case hexadecimal bytes with colons. */
  value: string;
}

/** SHA-1 and MD5 are not accepted: a certificate with a given SHA-1 fingerprint may be forged. */
const HASH_BYTES: Readonly<Record<DigestName, number>> = { 'sha-256': 32, 'sha-384': 48, 'sha-512': 64 };
const HEX_BYTES = /^[0-9A-F]{2}(?::[0-9A-F]{2})*$/u;

function isDigestName(name: string): name is DigestName {
  return Object.hasOwn(HASH_BYTES, name);
}

/** Null if it is malformed or uses an unsupported hash. */
export function readFingerprint(hash: string, value: string): Fingerprint | null {
  const name = hash.toLowerCase();
  const bytes = value.toUpperCase();
  if (!isDigestName(name) || bytes.length !== HASH_BYTES[name] * 3 - 1 || !HEX_BYTES.test(bytes)) return null;
  return { hash: name, value: bytes };
}

export function fingerprintOf(hash: DigestName, digest: Buffer): Fingerprint {
  const value = digest
    .toString('hex')
    .toUpperCase()
    .replaceAll(/..(?=.)/gu, '$&:');
  return { hash, value };
}

export function isSameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  return a.hash === b.hash && a.value === b.value;
}
