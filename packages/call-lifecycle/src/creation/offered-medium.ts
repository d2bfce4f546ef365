import { TELEPHONY_DIALECTS, type TelephonyDialect } from '@calls/api-contract/vendors/telephony-vendors';
import type {
  CallMedium,
  ServerWebSocketMedium,
  SipMedium,
  TelephonyMedium,
  WebRtcMedium,
} from '@calls/api-contract/rest/medium';
import { CallRefusal } from './refusal.ts';

/** A medium that calls can be created with, and what was said of it. */
export type OfferedMedium =
  | { kind: 'webRtc'; given: WebRtcMedium }
  | { kind: 'serverWebSocket'; given: ServerWebSocketMedium }
  | { kind: TelephonyDialect; given: TelephonyMedium }
  | { kind: 'sip'; given: SipMedium };

/**
 * `webRtcFault`: why no media worker has WebRTC; null where one has. `answersInvite`: a worker has the call's INVITE. Throws a
 * CallRefusal for what is not offered.
 */
export async function offeredMedium(
  medium: CallMedium,
  webRtcFault: () => Promise<string | null>,
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
      'Calls that come in by SIP begin with their INVITE; set medium.sip.outgoing to call somebody by SIP.',
    );
  }
  if (sip) return { kind: 'sip', given: sip };
  const issue = await webRtcFault();
  if (issue === null) return { kind: 'webRtc', given: webRtc ?? {} };
  throw notAvailable(
    `This server can not offer WebRTC, the default medium, now (${issue}); ` +
      'set medium.serverWebSocket to call over a WebSocket.',
  );
}

function notAvailable(detail: string): CallRefusal {
  return new CallRefusal('impossible', 'medium_not_available', detail);
}
