import { randomBytes, randomFillSync, randomInt } from 'node:crypto';
import { v5, v7 } from 'uuid';

const ID_BYTES = 16;
/** Random bytes for many ids, because drawing them takes ten times as long as making an id. */
const pool = Buffer.alloc(256 * ID_BYTES);
let drawn = pool.length;
/** Milliseconds since the Unix epoch in the last id. */
let msecs = 0;
let seq = 0;

/** A UUID version 7 (RFC 9562): ordered by creation time. */
export function newId(): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const random = pool.subarray(drawn, (drawn += ID_BYTES));
  const nowMs = Date.now();
  if (nowMs > msecs) {
    msecs = nowMs;
    // Half of the range is left for further ids of the same millisecond.
    seq = random.readUInt32BE() >>> 1;
  } else seq += 1;
  return v7({ random, msecs, seq });
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

/** A secret that signs requests to a customer's URL. */
export function newSigningSecret(): string {
  return randomAlphanumeric(32);
}

/** `byteLength` random bytes as base64url. */
export function randomSecret(byteLength: number): string {
  return randomBytes(byteLength).toString('base64url');
}
