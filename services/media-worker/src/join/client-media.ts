import type { MediumSpec } from '@calls/api-contract/call-spec';
import type { MessageSwitches } from '@calls/api-contract/data-messages/server-messages';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import { ServerWebSocketTransport } from '@calls/transports/server-websocket/transport';
import type { OpusCodecs } from '@calls/transports/opus/opus-codecs';
import { openTelephonyTransport } from '@calls/transports/telephony/open-telephony-transport';
import type { WebRtcCall } from '@calls/transports/webrtc/web-rtc';
import type { WebSocket } from 'ws';
import { CLOSE_CODES } from './join-outcome.ts';

/** The call that a client wants to join. */
type Joined = Omit<WebRtcCall, 'spec'> & { spec: { medium: MediumSpec } };

/** Opens the medium of a client that connects by WebSocket. */
export interface ClientMedia {
  /**
   * Null if the client left or was rejected before its medium was ready; the socket is then closed. Never rejects.
   * `onUnusable` is called if the client's medium can never be used.
   */
  open(call: Joined, socket: WebSocket, onUnusable: (detail: string) => void): Promise<MediaTransport | null>;
}

/** WebRTC support, as the join server uses it. */
export interface WebRtcJoins {
  /** Negotiates over the socket. Resolves like `ClientMedia.open`. */
  negotiate(call: WebRtcCall, socket: WebSocket): Promise<MediaTransport | null>;
}

/** `webRtc`: null if this worker does not support it; other workers then take such calls. */
export function createClientMedia(webRtc: WebRtcJoins | null, opus: OpusCodecs, clock: Clock): ClientMedia {
  return {
    async open({ callId, deadlineMs, spec: { medium: spec } }, socket, onUnusable) {
      switch (spec.kind) {
        case 'serverWebSocket':
          return new ServerWebSocketTransport({ socket, spec, clock });
        case 'webRtc':
          if (webRtc) return webRtc.negotiate({ callId, deadlineMs, spec }, socket);
          socket.on('error', () => undefined);
          socket.close(CLOSE_CODES.no_capacity, 'no_webrtc');
          return null;
        case 'sip':
          // SIP calls have no joinUrl: their worker placed or accepted them.
          socket.on('error', () => undefined);
          socket.close(CLOSE_CODES.unknown_call, 'unknown_call');
          return null;
        default:
          return openTelephonyTransport({ socket, spec, opus, clock, onUnusable });
      }
    },
  };
}

/** Whether the client supports the medium. Most clients do not say which one they support. */
export function clientSupports({ kind }: MediumSpec, query: URLSearchParams): boolean {
  return (query.get('medium') ?? kind) === kind;
}

/** The medium of one connection with the messages that its join URL enables. */
export function withSwitches<M extends MediumSpec>(medium: M, { flags }: MessageSwitches): M {
  if (!('dataMessages' in medium)) return medium;
  return { ...medium, dataMessages: { ...medium.dataMessages, ...flags } };
}

/** Reports unknown message names in the join URL to clients with `debug` messages. */
export function reportUnknownMessages(
  transport: Pick<MediaTransport, 'send'>,
  { unknown }: MessageSwitches,
): void {
  if (unknown.length === 0) return;
  const names = unknown.map((name) => JSON.stringify(name)).join(', ');
  transport.send({ type: 'debug', message: `the join URL contains unknown message types: ${names}` });
}
