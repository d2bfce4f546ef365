import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CursorKey, Direction } from '@calls/store';

export interface Cursor {
  direction: Direction;
  /** Sort key and id of the row to go on from, exclusive. */
  key: CursorKey;
}

export interface CursorCodec {
  /** `scope` names the list with all that selects its rows: a cursor opens no other list. */
  encode(scope: string, cursor: Cursor): string;
  /** Null for what this deployment didn't make for this list. */
  decode(scope: string, text: string): Cursor | null;
}

const SIGNATURE_BYTES = 16;

export function createCursorCodec(secret: string): CursorCodec {
  const signingKey = createHmac('sha256', secret).update('list cursors').digest();
  const sign = (scope: string, payload: string): Buffer =>
    createHmac('sha256', signingKey).update(`${scope}\n${payload}`).digest().subarray(0, SIGNATURE_BYTES);
  return {
    encode(scope, cursor) {
      const payload = Buffer.from(JSON.stringify([cursor.direction, ...cursor.key])).toString('base64url');
      return `${payload}.${sign(scope, payload).toString('base64url')}`;
    },
    decode(scope, text) {
      const [payload = '', signature = '', ...rest] = text.split('.');
      const given = Buffer.from(signature, 'base64url');
      if (rest.length > 0 || given.byteLength !== SIGNATURE_BYTES) return null;
      if (!timingSafeEqual(given, sign(scope, payload))) return null;
      // Only what we signed comes here.
      const [direction, ...key] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
        Direction,
        ...CursorKey,
      ];
      return { direction, key };
    },
  };
}
