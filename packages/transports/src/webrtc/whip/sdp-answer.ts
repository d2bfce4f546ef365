import type { types } from 'mediasoup';
import { INPUT_RATE_HZ } from '../codecs.ts';
import type { Offer } from './sdp-offer.ts';

export interface SdpAnswerOptions {
  offer: Offer;
  transport: Pick<types.WebRtcTransport, 'iceParameters' | 'iceCandidates' | 'dtlsParameters'>;
  /** The agent's stream; null if the client does not receive audio. */
  sent: types.RtpParameters | null;
}

/** Writes an answer that accepts the offer's audio section and rejects all others. */
export function writeAnswer({ offer, transport, sent }: SdpAnswerOptions): string {
  const { iceParameters, iceCandidates, dtlsParameters } = transport;
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 0.0.0.0',
    's=-',
    't=0 0',
    'a=ice-lite',
    `a=group:BUNDLE ${offer.mid}`,
    'a=msid-semantic: WMS *',
    ...offer.sections.flatMap((section, i) =>
      i === offer.audioIndex
        ? [
            ...audioLines(offer, sent),
            `a=ice-ufrag:${iceParameters.usernameFragment}`,
            `a=ice-pwd:${iceParameters.password}`,
            ...iceCandidates.map(candidateLine),
            'a=end-of-candidates',
            // Browsers use only one.
            ...dtlsParameters.fingerprints
              .filter(({ algorithm }) => algorithm === 'sha-256')
              .map(({ algorithm, value }) => `a=fingerprint:${algorithm} ${value}`),
            `a=setup:${offer.dtlsParameters.role === 'server' ? 'active' : 'passive'}`,
          ]
        : [
            `m=${section.type} 0 ${section.protocol} ${section.payloads}`,
            'c=IN IP4 0.0.0.0',
            `a=mid:${section.mid}`,
            'a=inactive',
          ],
    ),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function audioLines(offer: Offer, sent: types.RtpParameters | null): string[] {
  const { sections, audioIndex, mid, payloadTypes, hasNack, midExtensionId, sends } = offer;
  const { opus, telephoneEvents } = payloadTypes;
  const direction = sent ? (sends ? 'sendrecv' : 'sendonly') : sends ? 'recvonly' : 'inactive';
  return [
    `m=audio 9 ${sections[audioIndex]?.protocol ?? 'UDP/TLS/RTP/SAVPF'} ${[opus, ...telephoneEvents.keys()].join(' ')}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    'a=rtcp-mux',
    'a=rtcp-rsize',
    `a=${direction}`,
    `a=rtpmap:${opus} opus/48000/2`,
    `a=fmtp:${opus} minptime=10;useinbandfec=1;maxplaybackrate=${INPUT_RATE_HZ}`,
    ...(hasNack ? [`a=rtcp-fb:${opus} nack`] : []),
    ...[...telephoneEvents].map(([type, clockRate]) => `a=rtpmap:${type} telephone-event/${clockRate}`),
    ...(midExtensionId === null ? [] : [`a=extmap:${midExtensionId} urn:ietf:params:rtp-hdrext:sdes:mid`]),
    ...(sent
      ? [`a=msid:agent voice`, `a=ssrc:${sent.encodings?.[0]?.ssrc} cname:${sent.rtcp?.cname ?? 'agent'}`]
      : []),
  ];
}

function candidateLine(candidate: types.IceCandidate): string {
  const { foundation, protocol, priority, address, port, type, tcpType } = candidate;
  const tcp = tcpType ? ` tcptype ${tcpType}` : '';
  return `a=candidate:${foundation} 1 ${protocol} ${priority} ${address} ${port} typ ${type}${tcp}`;
}
