import type { Clock } from '@calls/foundation/clock';
import { createSignedValues } from '@calls/secrets/join-tokens/signed-values';

/** Tokens that permit their holder to read the SIP log of one call. */
export interface SipLogTokens {
  issue(call: SipLogOf): string;
  /** Null for a forged or expired token. */
  read(token: string): SipLogOf | null;
}

export interface SipLogOf {
  accountId: string;
  callId: string;
}

const LIFETIME_MS = 5 * 60_000;
const SCOPE = 'sip log';

/** `secrets`: newest first. */
export function createSipLogTokens(secrets: readonly string[], clock: Pick<Clock, 'wallMs'>): SipLogTokens {
  const values = createSignedValues<SipLogOf & { expiresAtMs: number }>(secrets, 'SIP log URLs');
  return {
    issue: ({ accountId, callId }) =>
      values.encode(SCOPE, { accountId, callId, expiresAtMs: clock.wallMs() + LIFETIME_MS }),
    read(token) {
      const value = values.decode(SCOPE, token);
      if (!value || clock.wallMs() >= value.expiresAtMs) return null;
      const { accountId, callId } = value;
      return { accountId, callId };
    },
  };
}
