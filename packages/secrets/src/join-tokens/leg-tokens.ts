import { createSignedValues } from './signed-values.ts';

/** The call to the person of a warm transfer, for the provider that places it. The holder can read the token. */
export interface LegClaims {
  /** The call of the user. */
  callId: string;
  legId: string;
  /** Wire key of the telephony provider. */
  provider: string;
  /** Wall time of expiry. */
  expiresAtMs: number;
}

export interface LegTokens {
  issue(claims: LegClaims): string;
  /** Null for a token that is malformed, forged, for another purpose, or expired. */
  verify(token: string): LegClaims | null;
}

const SCOPE = 'transfer leg';

/** `secrets`: newest first. Processes that share the first one accept each other's tokens. */
export function createLegTokens(secrets: readonly string[]): LegTokens {
  const values = createSignedValues<LegClaims>(secrets, 'transfer leg tokens');
  return {
    issue: (claims) => values.encode(SCOPE, claims),
    verify(token) {
      const claims = values.decode(SCOPE, token);
      return claims && Date.now() < claims.expiresAtMs ? claims : null;
    },
  };
}
