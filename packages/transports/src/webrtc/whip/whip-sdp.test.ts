import { describe, expect, it } from '@jest/globals';
import { writeAnswer } from './sdp-answer.ts';
import { OfferError, readOffer } from './sdp-offer.ts';

const MID_URI = 'urn:ietf:params:rtp-hdrext:sdes:mid';

/** An offer as browsers create it, with a camera and a data channel. */
function offerOf(
  changed: { audio?: string[]; direction?: string; setup?: string; head?: string[] } = {},
): string {
  const audio = changed.audio ?? [
    'm=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 110 126',
    'a=rtpmap:111 opus/48000/2',
    'a=rtcp-fb:111 transport-cc',
    'a=rtcp-fb:111 nack',
    'a=fmtp:111 minptime=10;useinbandfec=1',
    'a=rtpmap:63 red/48000/2',
    'a=rtpmap:9 G722/8000',
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:110 telephone-event/48000',
    'a=rtpmap:126 telephone-event/8000',
    `a=extmap:4 ${MID_URI}`,
    'a=ssrc:12345 cname:c',
  ];
  return [
    'v=0',
    'o=- 1 2 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0 1 2',
    ...(changed.head ?? ['a=fingerprint:sha-256 ab:cd']),
    `a=setup:${changed.setup ?? 'actpass'}`,
    ...audio,
    'a=mid:0',
    `a=${changed.direction ?? 'sendrecv'}`,
    'm=video 9 UDP/TLS/RTP/SAVPF 96',
    'a=mid:1',
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    'a=mid:2',
    '',
  ].join('\r\n');
}

const candidate = {
  foundation: 'udpcandidate',
  priority: 1,
  ip: '10.0.0.5',
  address: '10.0.0.5',
  protocol: 'udp',
  port: 44_444,
  type: 'host',
} as const;
const transport = {
  iceParameters: { usernameFragment: 'u', password: 'p', iceLite: true },
  iceCandidates: [candidate, { ...candidate, protocol: 'tcp', tcpType: 'passive' } as const],
  dtlsParameters: { fingerprints: [{ algorithm: 'sha-256', value: 'EF' } as const] },
};
const sent = { codecs: [], encodings: [{ ssrc: 7 }], rtcp: { cname: 'agent' } };

describe('SDP offer', () => {
  it('is read with the client’s payload types, SSRC and extension IDs', () => {
    const offer = readOffer(offerOf());
    expect(offer.payloadTypes).toEqual({
      opus: 111,
      telephoneEvents: new Map([
        [110, 48_000],
        [126, 8000],
      ]),
    });
    expect(offer.dtlsParameters).toEqual({
      role: 'client',
      fingerprints: [{ algorithm: 'sha-256', value: 'AB:CD' }],
    });
    expect(offer.sends).toMatchObject({
      mid: '0',
      encodings: [{ ssrc: 12_345 }],
      headerExtensions: [{ uri: MID_URI, id: 4 }],
    });
    expect(offer.receives?.codecs?.map(({ preferredPayloadType }) => preferredPayloadType)).toEqual([
      111, 110, 126,
    ]);
  });

  it.each([
    ['sendonly', true, false],
    ['recvonly', false, true],
    ['inactive', false, false],
  ])('with direction %s determines which sides send audio', (direction, isSent, isReceived) => {
    const { sends, receives } = readOffer(offerOf({ direction }));
    expect([sends !== null, receives !== null]).toEqual([isSent, isReceived]);
  });

  it.each([
    ['text that is not SDP', 'hello', 'not SDP'],
    [
      'no audio',
      offerOf({ audio: ['m=audio 0 UDP/TLS/RTP/SAVPF 111', 'a=rtpmap:111 opus/48000/2'] }),
      'no audio',
    ],
    ['no Opus', offerOf({ audio: ['m=audio 9 UDP/TLS/RTP/SAVPF 0', 'a=rtpmap:0 PCMU/8000'] }), 'no Opus'],
    ['no DTLS', offerOf({ head: [] }), 'fingerprint'],
    [
      'no ssrc',
      offerOf({ audio: ['m=audio 9 UDP/TLS/RTP/SAVPF 111', 'a=rtpmap:111 opus/48000/2'] }),
      'must have an ssrc',
    ],
    [
      'an invalid rtpmap',
      offerOf({ audio: ['m=audio 9 UDP/TLS/RTP/SAVPF 1', 'a=rtpmap:1 7/8000'] }),
      'no Opus',
    ],
    ['too many sections', offerOf() + 'm=video 9 UDP/TLS/RTP/SAVPF 96\r\n'.repeat(20), 'at most 16'],
    ['too many lines', offerOf() + 'a=x\n'.repeat(1000), 'at most 1000 lines'],
    ['an invalid payload type', offerOf().replaceAll('111', '300'), 'payload types'],
    ['a payload type that RTCP uses', offerOf().replaceAll('111', '72'), 'payload types'],
    ['an invalid ssrc', offerOf().replace('ssrc:12345', 'ssrc:99999999999'), 'ssrc must be <='],
    ['an invalid extension ID', offerOf().replace('extmap:4', 'extmap:999'), 'id must be <='],
    ['a weak fingerprint', offerOf({ head: ['a=fingerprint:md5 ab:cd'] }), 'algorithm must be'],
  ])('with %s is rejected', (_what, text, message) => {
    expect(() => readOffer(text)).toThrow(OfferError);
    expect(() => readOffer(text)).toThrow(message);
  });
});

describe('telephone events of an SDP offer', () => {
  const opus = 'a=rtpmap:111 opus/48000/2\r\n';
  const eventsIn = (lines: string[]) =>
    readOffer(offerOf().replace(opus, `${opus}${lines.join('\r\n')}\r\n`)).payloadTypes.telephoneEvents;

  it('are limited to one payload type for each clock rate', () => {
    const many = Array.from({ length: 900 }, (_, i) => `a=rtpmap:${i % 128} telephone-event/8000`);
    expect([...eventsIn(many)]).toEqual([
      [110, 48_000],
      [0, 8000],
    ]);
  });

  it('never use the payload type of Opus', () => {
    expect([...eventsIn(['a=rtpmap:111 telephone-event/8000']).keys()]).toEqual([110, 126]);
  });
});

describe('SDP answer', () => {
  it('accepts the audio section and rejects the others', () => {
    const lines = writeAnswer({ offer: readOffer(offerOf()), transport, sent }).split('\r\n');
    expect(lines.filter((line) => line.startsWith('m='))).toEqual([
      'm=audio 9 UDP/TLS/RTP/SAVPF 111 110 126',
      'm=video 0 UDP/TLS/RTP/SAVPF 96',
      'm=application 0 UDP/DTLS/SCTP webrtc-datachannel',
    ]);
    expect(lines).toEqual(
      expect.arrayContaining([
        'a=group:BUNDLE 0',
        'a=sendrecv',
        'a=setup:passive',
        'a=fingerprint:sha-256 EF',
        'a=rtcp-fb:111 nack',
        `a=extmap:4 ${MID_URI}`,
        'a=ssrc:7 cname:agent',
        'a=candidate:udpcandidate 1 udp 1 10.0.0.5 44444 typ host',
        'a=candidate:udpcandidate 1 tcp 1 10.0.0.5 44444 typ host tcptype passive',
      ]),
    );
  });

  it.each([
    ['sendonly', null, 'a=recvonly'],
    ['recvonly', sent, 'a=sendonly'],
    ['inactive', null, 'a=inactive'],
  ])('to %s has the opposite direction', (direction, stream, expected) => {
    const answer = writeAnswer({ offer: readOffer(offerOf({ direction })), transport, sent: stream });
    expect(answer.split('m=video')[0]).toContain(`\r\n${expected}\r\n`);
  });

  it('makes the client begin DTLS, unless the offer is passive', () => {
    const setups = ['active', 'passive'].map((setup) => {
      const answer = writeAnswer({ offer: readOffer(offerOf({ setup })), transport, sent });
      return /a=setup:(\w+)/u.exec(answer)?.[1];
    });
    expect(setups).toEqual(['passive', 'active']);
  });
});
