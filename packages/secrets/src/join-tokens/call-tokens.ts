import { createSignedValues } from './signed-values.ts';

/** The permissions of a call token, and its call. The holder can read the token but not change it. */
export interface CallTokenClaims {
  accountId: string;
  callId: string;
  scopes: readonly string[];
  /** Wall time of expiry. */
  expiresAtMs: number;
}

export interface CallTokens {
  issue(claims: CallTokenClaims): string;
  /** Null for a token that is malformed, forged, for another purpose, or expired. */
  verify(token: string): CallTokenClaims | null;
}

const SCOPE = 'call';

/** `secrets`: newest first. Processes that share the first one accept each other's tokens. */
export function createCallTokens(secrets: readonly string[], wallMs: () => number = Date.now): CallTokens {
  const values = createSignedValues<CallTokenClaims>(secrets, 'call tokens');
  return {
    issue: (claims) => values.encode(SCOPE, claims),
    verify(token) {
      const claims = values.decode(SCOPE, token);
      return claims && wallMs() < claims.expiresAtMs ? claims : null;
    },
  };
}
