import type { SignalRequest } from './signal-requests.ts';
import type {
  DtlsParameters,
  RtpCapabilities,
  RtpParameters,
  SctpStreamParameters,
} from './media-parameters.ts';

/*
 * What the service says on the signalling socket, as JSON text frames. Data messages that are too large for the data channel, or
 * come before it is open, go over the same socket: their types don't begin with `rtc_`.
 */

/** RFC 8839 ICE attributes of one side. */
export interface IceParameters {
  usernameFragment: string;
  password: string;
  iceLite?: boolean;
}

export interface IceCandidate {
  foundation: string;
  priority: number;
  /** Same as `address`, for older versions of mediasoup-client. */
  ip: string;
  address: string;
  protocol: 'udp' | 'tcp';
  port: number;
  type: 'host' | 'srflx' | 'prflx' | 'relay';
  tcpType?: 'passive';
}

/** RTCIceServer of the WebRTC API. */
export interface IceServer {
  urls: string[];
  username?: string;
  credential?: string;
}

/** Parameters of one direction for mediasoup-client's `createSendTransport` and `createRecvTransport`. */
export interface TransportParameters {
  id: string;
  iceParameters: IceParameters;
  iceCandidates: IceCandidate[];
  dtlsParameters: DtlsParameters;
  sctpParameters: { port: number; OS: number; MIS: number; maxMessageSize: number };
}

/** First message on the socket. */
export interface SignalReady {
  type: 'rtc_ready';
  routerRtpCapabilities: RtpCapabilities;
  iceServers: IceServer[];
  /** For media from the client to the service. */
  sendTransport: TransportParameters;
  /** For media from the service to the client. */
  receiveTransport: TransportParameters;
  /** Longer data messages (UTF-8 bytes) are sent over the socket in both directions. */
  maxDataChannelBytes: number;
}

/** Results of the requests. */
export interface SignalResults {
  rtc_connect_transport: Record<string, never>;
  rtc_produce_audio: { producerId: string };
  rtc_produce_data: { dataProducerId: string };
  rtc_consume: {
    audio: { id: string; producerId: string; kind: 'audio'; rtpParameters: RtpParameters };
    /** Null if not requested. */
    data: {
      id: string;
      dataProducerId: string;
      sctpStreamParameters: SctpStreamParameters;
      label: string;
      protocol: string;
    } | null;
  };
  rtc_restart_ice: { iceParameters: IceParameters };
  rtc_join: Record<string, never>;
}

/**
 * `invalid`: does not match the schema or the negotiated parameters. `out_of_order`: not allowed in this state
 * (produced twice, joined before connected). `failed`: an error of the service; reconnect.
 */
export type SignalErrorCode = 'invalid' | 'out_of_order' | 'failed';

export type SignalResponse =
  | { type: 'rtc_answer'; requestId: number; result: SignalResults[SignalRequest['type']] }
  | { type: 'rtc_answer'; requestId: number; error: { code: SignalErrorCode; message: string } }
  /** Response to a message without a readable requestId. */
  | { type: 'rtc_error'; error: { code: SignalErrorCode; message: string } };

export type SignalMessage = SignalReady | SignalResponse;

/** The label of the data channel. */
export const DATA_CHANNEL_LABEL = 'calls';
