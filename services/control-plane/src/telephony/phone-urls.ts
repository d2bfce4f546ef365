import { joinToken, joinUrl } from '@calls/call-lifecycle/notifications/join-url';
import type { JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import type { LegClaims, LegTokens } from '@calls/secrets/join-tokens/leg-tokens';
import type { CallRow } from '@calls/store/tables/calls';

/** The URLs of a phone call that a provider gets. Each carries the token of the call or of the leg. */
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
  return async (call) => {
    const token = await joinToken(deps.tokens, call);
    const url = (what: string): string =>
      `${deps.publicUrl}/telephony/${call.call_id}/${what}?token=${token}`;
    return { joinUrl: await joinUrl(deps, call), answerUrl: url('answer'), statusUrl: url('status') };
  };
}

/** Longer than the longest leg: a token also authenticates the report of its end. */
const LEG_LIFE_MS = 24 * 60 * 60 * 1000;

export type LegUrlsOf = (leg: Omit<LegClaims, 'expiresAtMs'>) => PhoneUrls;

/** The URLs of calls to the people of warm transfers. */
export function createLegUrls(deps: {
  publicUrl: string;
  mediaPublicUrl: string;
  legTokens: Pick<LegTokens, 'issue'>;
  wallMs: () => number;
}): LegUrlsOf {
  return (leg) => {
    const token = deps.legTokens.issue({ ...leg, expiresAtMs: deps.wallMs() + LEG_LIFE_MS });
    const url = (what: string): string =>
      `${deps.publicUrl}/telephony/${leg.callId}/person/${what}?token=${token}`;
    const joinUrl = `${deps.mediaPublicUrl}/person/${leg.callId}/${token}`;
    return { joinUrl, answerUrl: url('answer'), statusUrl: url('status') };
  };
}
