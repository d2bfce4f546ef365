import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { CallMedium } from '@calls/api-contract/rest/medium';
import type { Message } from '@calls/api-contract/rest/message';
import { omit } from '@calls/foundation/omit';
import type { CallSettings } from '@calls/api-contract/rest/call-settings';
import { usableMessages } from './initial-message-issues.ts';
import { overlayRequest } from './templates/overrides.ts';

const MAX_HISTORY_BYTES = 512 * 1024;

/**
 * A request completed with the settings and the history of a prior call. What only applies to outgoing calls is not
 * inherited.
 */
export function inheritPriorCall(
  request: StartCallRequest,
  prior: CallSettings,
  history: readonly Message[],
): StartCallRequest {
  const inherited = {
    ...omit(prior, 'answeringMachineDetection', 'ivrNavigation'),
    medium: withoutOutgoing(prior.medium),
    initialMessages: recentMessages(history),
  };
  return overlayRequest(inherited, request);
}

function withoutOutgoing(medium: CallMedium): CallMedium {
  // A SIP medium without outgoing details is incoming.
  if (medium.sip) return { sip: { incoming: {} } };
  return Object.fromEntries(
    Object.entries(medium).map(([kind, details]) => [
      kind,
      omit(details as { outgoing?: unknown }, 'outgoing'),
    ]),
  );
}

/** The newest usable messages up to the size limit, without fields that refer to the prior call. */
function recentMessages(history: readonly Message[]): Message[] {
  const recent: Message[] = [];
  let bytes = 0;
  for (const said of history.toReversed()) {
    // An instruction of a supervisor, which is not for another call.
    if (said.role === 'MESSAGE_ROLE_UNSPECIFIED') continue;
    const message = omit(said, 'timespan', 'callStageId', 'callStageMessageIndex');
    bytes += Buffer.byteLength(JSON.stringify(message));
    if (bytes > MAX_HISTORY_BYTES) break;
    recent.push(message);
  }
  // The limit can remove a tool call but not its result.
  return usableMessages(recent.reverse());
}
