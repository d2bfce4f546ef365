import type {
  CallMedium,
  ServerWebSocketMedium,
  SipMedium,
  TelephonyMedium,
  WebRtcMedium,
} from '@calls/api-contract/rest/medium';
import type { SipCodec } from '@calls/api-contract/rest/sip-trunk';
import { TELEPHONY_DIALECTS, type TelephonyDialect } from '@calls/providers/telephony/telephony-vendors';
import { CallRefusal } from './refusal.ts';

/** A medium that is available for new calls, with its settings. */
export type OfferedMedium =
  | { kind: 'webRtc'; given: WebRtcMedium }
  | { kind: 'serverWebSocket'; given: ServerWebSocketMedium }
  | { kind: TelephonyDialect; given: TelephonyMedium }
  | { kind: 'sip'; given: SipMedium; outboundProxy?: string | null; codecs?: readonly SipCodec[] };

/**
 * `webRtcIssue`: why no media-worker offers WebRTC; null if one does. `answersInvite`: a worker received the INVITE of the call.
 * Throws a CallRefusal if the medium is not available.
 */
export async function offeredMedium(
  medium: CallMedium,
  webRtcIssue: () => Promise<string | null>,
  answersInvite = false,
): Promise<OfferedMedium> {
  const { serverWebSocket, webRtc, sip } = medium;
  if (serverWebSocket) return { kind: 'serverWebSocket', given: serverWebSocket };
  for (const kind of TELEPHONY_DIALECTS) {
    const given = medium[kind];
    if (given) return { kind, given };
  }
  if (sip?.incoming && !answersInvite) {
    throw notAvailable(
      'Incoming calls by SIP start with an INVITE; set medium.sip.outgoing to place a call by SIP.',
    );
  }
  if (sip) return { kind: 'sip', given: sip };
  const issue = await webRtcIssue();
  if (issue === null) return { kind: 'webRtc', given: webRtc ?? {} };
  throw notAvailable(
    `WebRTC, the default medium, is not available now (${issue}); ` +
      'set medium.serverWebSocket to call over a WebSocket.',
  );
}

function notAvailable(detail: string): CallRefusal {
  return new CallRefusal('impossible', 'medium_not_available', detail);
}
