export { MAX_FRAME_BYTES } from './client-socket/client-socket.ts';
export { MAX_TEXT_BYTES } from './data-message.ts';
export { ServerWebSocketTransport } from './server-websocket/transport.ts';
export type { TurnConfig } from './webrtc/ice-servers.ts';
export type { LinkSample } from './webrtc/link-statistics.ts';
export type { RtcAddresses } from './webrtc/listen-infos.ts';
export { OfferError } from './webrtc/whip/sdp-offer.ts';
export type { WhipJoin } from './webrtc/whip/whip-join.ts';
export { WebRtc, type WebRtcConfig, type WebRtcMeter } from './webrtc/web-rtc.ts';
