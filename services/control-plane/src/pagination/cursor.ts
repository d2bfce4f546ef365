import type { CursorKey, Direction } from '@calls/store/keyset';
import { createSignedValues } from '@calls/secrets/join-tokens/signed-values';

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
