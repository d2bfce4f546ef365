import type { CursorKey, Direction } from '@calls/store/keyset';
import { createSignedValues } from '@calls/secrets/join-tokens/signed-values';

export interface Cursor {
  direction: Direction;
  /** Sort key and id of the row after which the page starts. */
  key: CursorKey;
}

export interface CursorCodec {
  /** `scope` identifies the list and its filters. A cursor is valid only for its scope. */
  encode(scope: string, cursor: Cursor): string;
  /** Null if the cursor was not created by this deployment for this scope. */
  decode(scope: string, text: string): Cursor | null;
}

export function createCursorCodec(secrets: readonly string[]): CursorCodec {
  const values = createSignedValues<[Direction, ...CursorKey]>(secrets, 'list cursors');
  return {
    encode: (scope, { direction, key }) => values.encode(scope, [direction, ...key]),
    decode(scope, text) {
      const value = values.decode(scope, text);
      if (!value) return null;
      const [direction, ...key] = value;
      return { direction, key };
    },
  };
}
