import type { CallTokens } from '@calls/secrets/join-tokens/call-tokens';
import type { Plan } from '@calls/store/schema/account';

/** Who acts for one live call, within the scopes of its token. */
export interface CallTokenHolder {
  callId: string;
  scopes: readonly string[];
  accountId: string;
  plan: Plan;
}

/** Null for a token that is malformed, forged or expired, and for one whose call has ended or was deleted. */
export type CallTokenAuthenticator = (token: string) => Promise<CallTokenHolder | null>;

/** `findPlan`: of the account of a call that has not ended. Asked for every request: tokens die with their call. */
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
