import { createExpiringTokens, type ExpiringTokens } from './expiring-tokens.ts';

/** What the holder of a supervise URL may do. */
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

export type SupervisorTokens = ExpiringTokens<SupervisorClaims>;

export function createSupervisorTokens(secrets: readonly string[], wallMs?: () => number): SupervisorTokens {
  return createExpiringTokens(secrets, { purpose: 'supervisor tokens', scope: 'supervisor' }, wallMs);
}
