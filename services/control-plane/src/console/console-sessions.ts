import type { Clock } from '@calls/foundation/clock';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { SecretBoxError } from '@calls/secrets/secret-box/secret-box-error';

const LIFETIME_MS = 12 * 3_600_000;
const CONTEXT = 'console session';

/** What a session's cookie holds, sealed. */
interface Content {
  key: string;
  expiresAtMs: number;
}

export interface OpenSession {
  /** The API key that it was begun with: the session is worth what the key is, for as long. */
  key: string;
  expiresAt: Date;
}

/** Sessions of the console. None is stored: the browser keeps each, in a form that only this installation can read or make. */
export interface ConsoleSessions {
  begin(key: string): { sealed: string; expiresAt: Date; lifetimeMs: number };
  /** Null for what is none, was altered or is over. Whether its key still counts is the caller's to ask. */
  open(sealed: string): OpenSession | null;
}

export function createConsoleSessions(box: SecretBox, clock: Clock): ConsoleSessions {
  return {
    begin(key) {
      const content: Content = { key, expiresAtMs: clock.wallMs() + LIFETIME_MS };
      const sealed = box.seal(JSON.stringify(content), CONTEXT);
      return { sealed, expiresAt: new Date(content.expiresAtMs), lifetimeMs: LIFETIME_MS };
    },
    open(sealed) {
      try {
        // What opens was written here.
        const { key, expiresAtMs } = JSON.parse(box.open(sealed, CONTEXT)) as Content;
        return clock.wallMs() < expiresAtMs ? { key, expiresAt: new Date(expiresAtMs) } : null;
      } catch (thrown) {
        if (thrown instanceof SecretBoxError) return null;
        throw thrown;
      }
    },
  };
}
