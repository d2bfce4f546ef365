import { createExpiringTokens, type ExpiringTokens } from './expiring-tokens.ts';

/** The call to the person of a warm transfer, for the provider that places it. */
export interface LegClaims {
  /** The call of the user. */
  callId: string;
  legId: string;
  /** Wire key of the telephony provider. */
  provider: string;
  /** Wall time of expiry. */
  expiresAtMs: number;
}

export type LegTokens = ExpiringTokens<LegClaims>;

export function createLegTokens(secrets: readonly string[]): LegTokens {
  return createExpiringTokens(secrets, { purpose: 'transfer leg tokens', scope: 'transfer leg' });
}
