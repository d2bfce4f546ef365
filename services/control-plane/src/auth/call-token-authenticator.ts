import type { CallTokens } from '@calls/secrets/join-tokens/call-tokens';
import type { TermsRow } from '@calls/store/tables/account-terms';

/** The holder of a token for one live call and its scopes. */
export interface CallTokenHolder {
  callId: string;
  scopes: readonly string[];
  accountId: string;
  plan: TermsRow['plan'];
  limits: TermsRow['limits'];
}

/** Null if the token is malformed, forged or expired, or its call has ended or was deleted. */
export type CallTokenAuthenticator = (token: string) => Promise<CallTokenHolder | null>;

/**
 * `findTerms` returns the terms of the account of a call that has not ended. It runs for every request, because tokens
 * expire with their call.
 */
export function createCallTokenAuthenticator(
  tokens: CallTokens,
  findTerms: (call: { accountId: string; callId: string }) => Promise<TermsRow | undefined>,
): CallTokenAuthenticator {
  return async (token) => {
    const claims = tokens.verify(token);
    if (!claims) return null;
    const { accountId, callId, scopes } = claims;
    const terms = await findTerms({ accountId, callId });
    return terms ? { callId, scopes, accountId, plan: terms.plan, limits: terms.limits } : null;
  };
}
