import { durationToMs } from '@calls/api-contract';
import type { JoinTokens } from '@calls/join-token';
import type { CallRow } from '@calls/store';

/** Beyond the latest moment at which the call can be live. */
const GRACE_MS = 60_000;

/**
 * Where a client joins the call. Always the same for a call. The token lives as long as the call may, so that a client
 * that lost its connection can come back; whether a call can still be joined is the media worker's to say.
 */
export async function joinUrl(
  config: { mediaPublicUrl: string; tokens: JoinTokens },
  call: Pick<CallRow, 'call_id' | 'created_at' | 'settings'>,
): Promise<string> {
  const { joinTimeout, maxDuration } = call.settings;
  const token = await config.tokens.sign({
    callId: call.call_id,
    expiresAtMs: call.created_at.getTime() + durationToMs(joinTimeout) + durationToMs(maxDuration) + GRACE_MS,
  });
  const base = config.mediaPublicUrl.replace(/\/+$/, '');
  return `${base}/join/${call.call_id}?token=${token}`;
}
