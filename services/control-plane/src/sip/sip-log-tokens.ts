import type { Clock } from '@calls/foundation/clock';
import { createExpiringTokens } from '@calls/secrets/join-tokens/expiring-tokens';

/** Tokens that permit their holder to read the SIP log of one call. */
export interface SipLogTokens {
  issue(call: SipLogOf): string;
  /** Null for a forged or expired token. */
  verify(token: string): SipLogOf | null;
}

export interface SipLogOf {
  accountId: string;
  callId: string;
}

const LIFETIME_MS = 5 * 60_000;

/** `secrets`: newest first. */
export function createSipLogTokens(secrets: readonly string[], clock: Pick<Clock, 'wallMs'>): SipLogTokens {
  const tokens = createExpiringTokens<SipLogOf & { expiresAtMs: number }>(
    secrets,
    { purpose: 'SIP log URLs', scope: 'sip log' },
    () => clock.wallMs(),
  );
  return {
    issue: ({ accountId, callId }) =>
      tokens.issue({ accountId, callId, expiresAtMs: clock.wallMs() + LIFETIME_MS }),
    verify: (token) => tokens.verify(token),
  };
}
