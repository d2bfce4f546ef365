import { hkdfSync } from 'node:crypto';
import type { EnvReader } from '@calls/foundation/env-reader';
import { secrets } from '@calls/foundation/variable';

const CIPHER_KEY_BYTES = 32;
const KEY_ID_BYTES = 6;

const VARIABLE = secrets({ meaning: 'Encrypts the stored secrets of accounts, agents, calls and webhooks.' });

/** The entries of ENCRYPTION_KEY, newest first. Issues are collected in `env`; the caller calls `finish`. */
export function readEncryptionKeys(env: EnvReader): readonly string[] {
  return env.value('ENCRYPTION_KEY', VARIABLE);
}

export interface CipherKey {
  /** Twelve hexadecimal digits that identify the key without revealing it. */
  readonly id: string;
  readonly bytes: Buffer;
  /** Key of the fingerprints of secrets. */
  readonly fingerprintBytes: Buffer;
}

/** The cipher key derived from an operator's key of any length. */
export function deriveCipherKey(key: string): CipherKey {
  const derive = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', key, 'calls secret-box', purpose, bytes));
  return {
    id: derive('key id', KEY_ID_BYTES).toString('hex'),
    bytes: derive('aes-256-gcm', CIPHER_KEY_BYTES),
    fingerprintBytes: derive('fingerprint', CIPHER_KEY_BYTES),
  };
}
