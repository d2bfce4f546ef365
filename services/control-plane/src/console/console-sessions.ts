import type { Clock } from '@calls/foundation/clock';
import { SecretBoxError, type SecretBox } from '@calls/secrets/secret-box/secret-box';

const LIFETIME_MS = 12 * 3_600_000;
const CONTEXT = 'console session';

/** Sealed content of the session cookie. */
interface Content {
  key: string;
  expiresAtMs: number;
}

export interface OpenSession {
  /** The API key used to sign in. The session is valid only while the key is. */
  key: string;
  expiresAt: Date;
}

/** Console sessions. They are not stored on the server: the browser holds each in a sealed cookie. */
export interface ConsoleSessions {
  begin(key: string): { sealed: string; expiresAt: Date; lifetimeMs: number };
  /** Null if the cookie is malformed, altered or expired. The caller must check that the key is still valid. */
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
        // The cast is safe because this class wrote the sealed content.
        const { key, expiresAtMs } = JSON.parse(box.open(sealed, CONTEXT)) as Content;
        return clock.wallMs() < expiresAtMs ? { key, expiresAt: new Date(expiresAtMs) } : null;
      } catch (thrown) {
        if (thrown instanceof SecretBoxError) return null;
        throw thrown;
      }
    },
  };
}
