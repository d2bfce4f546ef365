import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '@calls/foundation/errors';

/**
 * Signed values for URLs: values that were not signed by this deployment are rejected. The content is readable by
 * anyone.
 */
export interface SignedValues<T> {
  /** `scope`: the use of the value. It is valid in no other scope. */
  encode(scope: string, value: T): string;
  /** Null if the text was not signed by this deployment for this purpose and scope. */
  decode(scope: string, text: string): T | null;
}

const SIGNATURE_BYTES = 16;

/** `secrets`: newest first; the first one signs, all verify. Each `purpose` derives its own key. Values are JSON. */
export function createSignedValues<T>(secrets: readonly string[], purpose: string): SignedValues<T> {
  const signingKeys = secrets.map((secret) => createHmac('sha256', secret).update(purpose).digest());
  const [newest] = signingKeys;
  if (newest === undefined) throw new AppError('weak_secret', 'a secret is required');
  const sign = (scope: string, payload: string, key: Buffer): Buffer =>
    createHmac('sha256', key).update(`${scope}\n${payload}`).digest().subarray(0, SIGNATURE_BYTES);
  return {
    encode(scope, value) {
      const payload = Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${payload}.${sign(scope, payload, newest).toString('base64url')}`;
    },
    decode(scope, text) {
      const [payload = '', signature = '', ...rest] = text.split('.');
      const given = Buffer.from(signature, 'base64url');
      if (rest.length > 0 || given.byteLength !== SIGNATURE_BYTES) return null;
      if (!signingKeys.some((key) => timingSafeEqual(given, sign(scope, payload, key)))) return null;
      // The signature was verified.
      return JSON.parse(Buffer.from(payload, 'base64url').toString()) as T;
    },
  };
}
