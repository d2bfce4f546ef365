import type { RtpParameters } from '@calls/api-contract/signalling/media-parameters';
import type { IceCandidate, TransportParameters } from '@calls/api-contract/signalling/signal-messages';

/** One direction of the service in an SDP, for peers that require SDP. */
export interface ServerMedia {
  transport: TransportParameters;
  /** `sendonly`: the voice of the agent, with its stream. */
  audio: { mid: string; direction: 'sendonly' | 'recvonly'; rtpParameters: RtpParameters } | null;
  dataMid: string | null;
  setup: 'actpass' | 'passive';
}

export function serverSdp({ transport, audio, dataMid, setup }: ServerMedia): string {
  const mids = [audio?.mid, dataMid].filter((mid) => typeof mid === 'string');
  const { iceParameters, iceCandidates, dtlsParameters, sctpParameters } = transport;
  const fingerprint = dtlsParameters.fingerprints.find(({ algorithm }) => algorithm === 'sha-256');
  if (!fingerprint) throw new Error('no SHA-256 fingerprint');
  const shared = (mid: string): string[] => [
    'c=IN IP4 127.0.0.1',
    `a=mid:${mid}`,
    `a=ice-ufrag:${iceParameters.usernameFragment}`,
    `a=ice-pwd:${iceParameters.password}`,
    ...iceCandidates.map(candidateLine),
    'a=end-of-candidates',
    `a=fingerprint:sha-256 ${fingerprint.value}`,
    `a=setup:${setup}`,
  ];
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 0.0.0.0',
    's=-',
    't=0 0',
    'a=ice-lite',
    `a=group:BUNDLE ${mids.join(' ')}`,
    ...(audio ? [...audioLines(audio), ...shared(audio.mid)] : []),
    ...(dataMid === null
      ? []
      : [
          'm=application 7 UDP/DTLS/SCTP webrtc-datachannel',
          ...shared(dataMid),
          `a=sctp-port:${sctpParameters.port}`,
          `a=max-message-size:${sctpParameters.maxMessageSize}`,
        ]),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function audioLines({ direction, rtpParameters }: NonNullable<ServerMedia['audio']>): string[] {
  const { codecs, encodings = [], rtcp } = rtpParameters;
  const types = codecs.map(({ payloadType }) => payloadType).join(' ');
  return [
    `m=audio 7 UDP/TLS/RTP/SAVPF ${types}`,
    'a=rtcp-mux',
    `a=${direction}`,
    ...codecs.flatMap(({ payloadType, mimeType, clockRate, channels, rtcpFeedback = [] }) => [
      `a=rtpmap:${payloadType} ${mimeType.split('/')[1]}/${clockRate}${channels ? `/${channels}` : ''}`,
      ...rtcpFeedback.map(({ type, parameter }) =>
        `a=rtcp-fb:${payloadType} ${type} ${parameter ?? ''}`.trim(),
      ),
    ]),
    ...(direction === 'sendonly' ? [`a=ssrc:${encodings[0]?.ssrc} cname:${rtcp?.cname ?? 'agent'}`] : []),
  ];
}

function candidateLine({
  foundation,
  protocol,
  priority,
  address,
  port,
  type,
  tcpType,
}: IceCandidate): string {
  const tcp = tcpType ? ` tcptype ${tcpType}` : '';
  return `a=candidate:${foundation} 1 ${protocol} ${priority} ${address} ${port} typ ${type}${tcp}`;
}

/** Fingerprint of the DTLS certificate in the SDP of the peer. */
export function fingerprintOf(sdp: string): { algorithm: 'sha-256'; value: string } {
  const value = /^a=fingerprint:sha-256 (\S+)/mu.exec(sdp)?.[1];
  if (value === undefined) throw new Error('the SDP has no fingerprint');
  return { algorithm: 'sha-256', value };
}
