import type { CallMedium, ServerWebSocketMedium, WebRtcMedium } from '@calls/api-contract';
import { CallRefusal } from './refusal.ts';

/** A medium that calls can be created with. */
export type OfferedMedium =
  | { webRtc: WebRtcMedium; serverWebSocket?: undefined }
  | { webRtc?: undefined; serverWebSocket: ServerWebSocketMedium };

/** `webRtcFault`: why no media worker has WebRTC; null where one has. Throws a CallRefusal for what is not offered. */
export async function offeredMedium(
  medium: CallMedium,
  webRtcFault: () => Promise<string | null>,
): Promise<OfferedMedium> {
  const { serverWebSocket, webRtc, ...others } = medium;
  if (serverWebSocket) return { serverWebSocket };
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw notAvailable(`This server does not offer the medium ${other} yet; ${INSTEAD}`);
  }
  const fault = await webRtcFault();
  if (fault === null) return { webRtc: webRtc ?? {} };
  throw notAvailable(`This server can not offer WebRTC, the default medium, now (${fault}); ${INSTEAD}`);
}

const INSTEAD = 'set medium.serverWebSocket to call over a WebSocket.';

function notAvailable(detail: string): CallRefusal {
  return new CallRefusal('impossible', 'medium_not_available', detail);
}
