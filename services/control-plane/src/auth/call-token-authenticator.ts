import type { Plan } from '@calls/api-contract/rest/account';
import type { CallTokens } from '@calls/secrets/join-tokens/call-tokens';

/** The holder of a token for one live call and its scopes. */
export interface CallTokenHolder {
  callId: string;
  scopes: readonly string[];
  accountId: string;
  plan: Plan;
}

/** Null for a token that is malformed, forged or expired, or whose call has ended or was deleted. */
export type CallTokenAuthenticator = (token: string) => Promise<CallTokenHolder | null>;

/**
 * `findPlan` returns the plan of the account of a call that has not ended. It runs for every request, because tokens
 * expire with their call.
 */
export function createCallTokenAuthenticator(
  tokens: CallTokens,
  findPlan: (call: { accountId: string; callId: string }) => Promise<Plan | undefined>,
): CallTokenAuthenticator {
  return async (token) => {
    const claims = tokens.verify(token);
    if (!claims) return null;
    const { accountId, callId, scopes } = claims;
    const plan = await findPlan({ accountId, callId });
    return plan ? { callId, scopes, accountId, plan } : null;
  };
}
