import { callDeadlineMs } from '@calls/api-contract/call-lifetime';
import { durationToMs } from '@calls/api-contract/duration';
import { TELEPHONY_DIALECTS } from '@calls/providers/telephony/telephony-vendors';
import type { JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import type { CallRow } from '@calls/store/tables/calls';

type TokenCall = Pick<CallRow, 'call_id' | 'created_at' | 'settings'>;

/** A token for the maximum lifetime of the call, so that a disconnected client can rejoin. */
export function joinToken(tokens: JoinTokens, call: TokenCall): Promise<string> {
  const { joinTimeout, maxDuration } = call.settings;
  return tokens.sign({
    callId: call.call_id,
    expiresAtMs: callDeadlineMs({
      createdAtMs: call.created_at.getTime(),
      joinTimeoutMs: durationToMs(joinTimeout),
      maxDurationMs: durationToMs(maxDuration),
    }),
  });
}

/**
 * The URL for joining the call. It never changes; the media-worker decides whether the call can still be joined.
 */
export async function joinUrl(
  config: { mediaPublicUrl: string; tokens: JoinTokens },
  call: TokenCall,
): Promise<string> {
  const token = await joinToken(config.tokens, call);
  // telephony1 drops the query of stream URLs.
  const isPhone = TELEPHONY_DIALECTS.some((dialect) => call.settings.medium[dialect] !== undefined);
  return `${config.mediaPublicUrl}/join/${call.call_id}${isPhone ? '/' : '?token='}${token}`;
}
