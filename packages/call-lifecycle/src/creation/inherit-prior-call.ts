import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { CallMedium } from '@calls/api-contract/rest/medium';
import type { Message } from '@calls/api-contract/rest/message';
import { omit } from '@calls/foundation/omit';
import type { CallSettings } from '@calls/api-contract/rest/call-settings';
import { usableMessages } from './rules/initial-message-issues.ts';
import { overlayRequest } from './templates/overlay-request.ts';

const MAX_HISTORY_BYTES = 512 * 1024;

/**
 * A request with everything in it that a prior call had and the request doesn't name, and the prior call's history. What a
 * call was to dial is not taken over.
 */
export function inheritPriorCall(
  request: StartCallRequest,
  prior: CallSettings,
  history: readonly Message[],
): StartCallRequest {
  const inherited = {
    ...prior,
    medium: withoutOutgoing(prior.medium),
    initialMessages: recentMessages(history),
  };
  return overlayRequest(inherited, request);
}

function withoutOutgoing(medium: CallMedium): CallMedium {
  // A SIP medium that dials nobody is called.
  if (medium.sip) return { sip: { incoming: {} } };
  return Object.fromEntries(
    Object.entries(medium).map(([kind, details]) => [
      kind,
      omit(details as { outgoing?: unknown }, 'outgoing'),
    ]),
  );
}

/** The newest usable messages that a call can carry, without what is true of the prior call alone. */
function recentMessages(history: readonly Message[]): Message[] {
  const kept: Message[] = [];
  let bytes = 0;
  for (const said of history.toReversed()) {
    const message = omit(said, 'timespan', 'callStageId', 'callStageMessageIndex');
    bytes += Buffer.byteLength(JSON.stringify(message));
    if (bytes > MAX_HISTORY_BYTES) break;
    kept.push(message);
  }
  // A tool result may have lost its call to the limit.
  return usableMessages(kept.reverse());
}
