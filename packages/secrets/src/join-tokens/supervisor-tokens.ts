import { createSignedValues } from './signed-values.ts';

/** What the holder of a supervise URL may do. The holder can read the token but not change it. */
export interface SupervisorClaims {
  callId: string;
  supervisorId: string;
  name: string | null;
  mode: 'listen' | 'whisper' | 'barge';
  sampleRateHz: number;
  channelMode: 'mixed' | 'separated';
  /** Wall time of expiry. */
  expiresAtMs: number;
}

export interface SupervisorTokens {
  issue(claims: SupervisorClaims): string;
  /** Null for a token that is malformed, forged, for another purpose, or expired. */
  verify(token: string): SupervisorClaims | null;
}

const SCOPE = 'supervisor';

/** `secrets`: newest first. Processes that share the first one accept each other's tokens. */
export function createSupervisorTokens(
  secrets: readonly string[],
  wallMs: () => number = Date.now,
): SupervisorTokens {
  const values = createSignedValues<SupervisorClaims>(secrets, 'supervisor tokens');
  return {
    issue: (claims) => values.encode(SCOPE, claims),
    verify(token) {
      const claims = values.decode(SCOPE, token);
      return claims && wallMs() < claims.expiresAtMs ? claims : null;
    },
  };
}
