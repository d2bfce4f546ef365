import { createExpiringTokens, type ExpiringTokens } from './expiring-tokens.ts';

/** The permissions of a call token, and its call. */
export interface CallTokenClaims {
  accountId: string;
  callId: string;
  scopes: readonly string[];
  /** Wall time of expiry. */
  expiresAtMs: number;
}

export type CallTokens = ExpiringTokens<CallTokenClaims>;

export function createCallTokens(secrets: readonly string[], wallMs?: () => number): CallTokens {
  return createExpiringTokens(secrets, { purpose: 'call tokens', scope: 'call' }, wallMs);
}
