import { joinToken, joinUrl } from '@calls/call-lifecycle/notifications/join-url';
import type { JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import type { CallRow } from '@calls/store/tables/calls';

/** What a provider is told of a call. Whoever has one of these URLs may do what the call's join token allows. */
export interface PhoneUrls {
  /** Where the sound of the phone call is streamed to and from. */
  joinUrl: string;
  /** Says what is to be done with the phone call next. */
  answerUrl: string;
  /** Is told how it went. */
  statusUrl: string;
}

export type PhoneUrlsOf = (call: Pick<CallRow, 'call_id' | 'created_at' | 'settings'>) => Promise<PhoneUrls>;

export function createPhoneUrls(deps: {
  publicUrl: string;
  mediaPublicUrl: string;
  tokens: JoinTokens;
}): PhoneUrlsOf {
  const base = deps.publicUrl.replace(/\/+$/u, '');
  return async (call) => {
    const token = await joinToken(deps.tokens, call);
    const url = (what: string): string => `${base}/telephony/${call.call_id}/${what}?token=${token}`;
    return { joinUrl: await joinUrl(deps, call), answerUrl: url('answer'), statusUrl: url('status') };
  };
}
