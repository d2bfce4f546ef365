import { createCipheriv } from 'node:crypto';
import { SRTP_SUITES, type SrtpKeys } from './srtp-suite.ts';

/** Keys of one direction of RTP or RTCP. */
export interface SessionKeys {
  encryption: Uint8Array;
  /** Empty for GCM. */
  authentication: Uint8Array;
  salt: Uint8Array;
}

const AUTHENTICATION_KEY_BYTES = 20;
/** Length of the derivation's input; a shorter salt is padded with zeros (RFC 7714, 11). */
const DERIVATION_SALT_BYTES = 14;
const LABEL_OFFSET = 7;
const BLOCK_BYTES = 16;
const LABELS = {
  rtp: { encryption: 0, authentication: 1, salt: 2 },
  rtcp: { encryption: 3, authentication: 4, salt: 5 },
} as const;

/** Derives session keys from a master key with a key derivation rate of 0 (RFC 3711, 4.3). */
export function deriveSessionKeys({ suite, master }: SrtpKeys, protocol: 'rtp' | 'rtcp'): SessionKeys {
  const { mode, keyBytes, saltBytes } = SRTP_SUITES[suite];
  const masterKey = master.subarray(0, keyBytes);
  const masterSalt = master.subarray(keyBytes, keyBytes + saltBytes);
  const derive = (label: number, bytes: number): Uint8Array => {
    const input = Buffer.alloc(BLOCK_BYTES);
    input.set(masterSalt.subarray(0, DERIVATION_SALT_BYTES));
    input[LABEL_OFFSET] = (input[LABEL_OFFSET] ?? 0) ^ label;
    return createCipheriv(`aes-${keyBytes * 8}-ctr`, masterKey, input).update(Buffer.alloc(bytes));
  };
  const labels = LABELS[protocol];
  return {
    encryption: derive(labels.encryption, keyBytes),
    authentication: derive(labels.authentication, mode === 'gcm' ? 0 : AUTHENTICATION_KEY_BYTES),
    salt: derive(labels.salt, saltBytes),
  };
}
