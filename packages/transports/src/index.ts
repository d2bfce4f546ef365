export { MAX_FRAME_BYTES } from './client-socket/client-socket.ts';
export { MAX_TEXT_BYTES } from './data-message.ts';
export { ServerWebSocketTransport } from './server-websocket/transport.ts';
export type { TurnConfig } from './webrtc/ice-servers.ts';
export type { LinkSample } from './webrtc/link-statistics.ts';
export type { RtcAddresses } from './webrtc/listen-infos.ts';
export { OpusThread } from './webrtc/opus/opus-thread.ts';
export { OfferError } from './webrtc/whip/sdp-offer.ts';
export type { WhipJoin } from './webrtc/whip/whip-join.ts';
export { WebRtc, type WebRtcCall, type WebRtcConfig } from './webrtc/web-rtc.ts';
export type { WebRtcMeter } from './webrtc/web-rtc-meter.ts';
export { openTelephonyTransport, type TelephonyOptions } from './telephony/open-telephony-transport.ts';
export { NoRtpPortError, RtpPorts, type RtpPortRange, type RtpPortsOptions } from './sip/rtp-ports.ts';
export type { SipMediaMeter, SipMediaSample } from './sip/sip-media-meter.ts';
export {
  SipMedia,
  type SdpRefusal,
  type SipMediaOptions,
  type SipTransport,
  type SipTransportOptions,
} from './sip/sip-media.ts';
