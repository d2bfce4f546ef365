import type { MediumSpec, WebRtcSpec } from '@calls/api-contract';
import type { MediaTransport } from '@calls/conversation';
import type { Clock } from '@calls/foundation';
import { ServerWebSocketTransport } from '@calls/transports';
import type { WebSocket } from 'ws';
import { CLOSE_CODES } from './close-codes.ts';

/** The medium of a client that came by WebSocket. */
export interface ClientMedia {
  /** Null where the client left, or was sent away, before its medium stood; the socket is closed then. Doesn't reject. */
  open(spec: MediumSpec, socket: WebSocket, callId: string): Promise<MediaTransport | null>;
}

/** What the join server knows of WebRTC. */
export interface WebRtcJoins {
  /** Negotiates over the socket; resolves as `ClientMedia.open` does. */
  negotiate(spec: WebRtcSpec, socket: WebSocket, callId: string): Promise<MediaTransport | null>;
}

/** `webRtc`: null where this worker has none; its calls are then for others. */
export function createClientMedia(webRtc: WebRtcJoins | null, clock: Clock): ClientMedia {
  return {
    async open(spec, socket, callId) {
      switch (spec.kind) {
        case 'serverWebSocket':
          return new ServerWebSocketTransport({ socket, spec, clock });
        case 'webRtc':
          if (webRtc) return webRtc.negotiate(spec, socket, callId);
          socket.on('error', () => undefined);
          socket.close(CLOSE_CODES.no_capacity, 'no_webrtc');
          return null;
      }
    },
  };
}
