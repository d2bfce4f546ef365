import { joinToken, joinUrl } from '@calls/call-lifecycle/notifications/join-url';
import type { JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import type { CallRow } from '@calls/store/tables/calls';

/** The URLs of a call that a provider gets. Each carries the permissions of the call's join token. */
export interface PhoneUrls {
  /** Media stream URL of the phone call. */
  joinUrl: string;
  /** Returns the next instruction for the phone call. */
  answerUrl: string;
  /** Receives status reports. */
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
