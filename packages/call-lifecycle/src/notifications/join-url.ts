import { TELEPHONY_DIALECTS } from '@calls/api-contract/vendors/telephony-vendors';
import { durationToMs } from '@calls/api-contract/duration';
import type { JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import type { CallRow } from '@calls/store/tables/calls';

/** Beyond the latest moment at which the call can be live. */
const GRACE_MS = 60_000;

type TokenCall = Pick<CallRow, 'call_id' | 'created_at' | 'settings'>;

/** Opens the call as long as it may live, so that a client that lost its connection can come back. */
export function joinToken(tokens: JoinTokens, call: TokenCall): Promise<string> {
  const { joinTimeout, maxDuration } = call.settings;
  return tokens.sign({
    callId: call.call_id,
    expiresAtMs: call.created_at.getTime() + durationToMs(joinTimeout) + durationToMs(maxDuration) + GRACE_MS,
  });
}

/**
 * Where a client joins the call. Always the same for a call; whether a call can still be joined is the media worker's to say.
 */
export async function joinUrl(
  config: { mediaPublicUrl: string; tokens: JoinTokens },
  call: TokenCall,
): Promise<string> {
  const token = await joinToken(config.tokens, call);
  const base = config.mediaPublicUrl.replace(/\/+$/, '');
  // Providers' streams: telephony1 doesn't pass on a query.
  const isPhone = TELEPHONY_DIALECTS.some((dialect) => call.settings.medium[dialect] !== undefined);
  return `${base}/join/${call.call_id}${isPhone ? '/' : '?token='}${token}`;
}
