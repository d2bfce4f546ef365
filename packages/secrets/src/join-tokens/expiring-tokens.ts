import { createSignedValues } from './signed-values.ts';

/** Tokens whose holder can read the claims but not change them. */
export interface ExpiringTokens<C> {
  issue(claims: C): string;
  /** Null for a token that is malformed, forged, for another purpose, or expired. */
  verify(token: string): C | null;
}

/** `secrets`: newest first. Processes that share the first one accept each other's tokens. */
export function createExpiringTokens<C extends { expiresAtMs: number }>(
  secrets: readonly string[],
  { purpose, scope }: { purpose: string; scope: string },
  wallMs: () => number = Date.now,
): ExpiringTokens<C> {
  const values = createSignedValues<C>(secrets, purpose);
  return {
    issue: (claims) => values.encode(scope, claims),
    verify(token) {
      const claims = values.decode(scope, token);
      return claims && wallMs() < claims.expiresAtMs ? claims : null;
    },
  };
}
