import { describe, expect, it } from '@jest/globals';
import { negotiateMedia } from './negotiated-media.ts';
import { LocalSdp } from './local-sdp.ts';
import { isRefusal, readRemoteMedia, type RemoteMedia } from './remote-media.ts';

const OWN = '198.51.100.7';

interface Parts {
  session?: string[];
  audio?: string;
  attributes?: string[];
  after?: string[];
}

function sdp({
  session = ['c=IN IP4 192.0.2.10'],
  audio = 'm=audio 4000 RTP/AVP 8 0 101',
  ...rest
}: Parts = {}) {
  const { attributes = ['a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-16'], after = [] } = rest;
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 192.0.2.10',
    's=-',
    ...session,
    't=0 0',
    audio,
    ...attributes,
    ...after,
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function read(deps?: Parts, own = OWN): RemoteMedia {
  const media = readRemoteMedia(sdp(deps), [own]);
  if (isRefusal(media)) throw new Error(media.reason);
  return media;
}

function reasonFor(text: string, own = OWN): string {
  const media = readRemoteMedia(text, [own]);
  if (!isRefusal(media)) throw new Error('it was taken');
  expect(media.status).toBe(488);
  return media.reason;
}

/** The lines of the answer from its first media section. */
function answerTo(deps: Parts): string[] {
  const media = read(deps);
  const local = new LocalSdp({ address: OWN, port: 20_000 }, 7);
  const lines = local.answer(media, negotiateMedia(media, false).direction).split('\r\n');
  return lines.slice(
    lines.findIndex((line) => line.startsWith('m=')),
    -1,
  );
}

describe('readRemoteMedia', () => {
  it('uses the first of several ports', () => {
    expect(read({ audio: 'm=audio 4000/2 RTP/AVP 8' }).target).toEqual({ address: '192.0.2.10', port: 4000 });
  });

  it('accepts the first audio section that has a supported codec', () => {
    const parts = { audio: 'm=audio 4000 RTP/AVP 18', attributes: [], after: ['m=audio 4002 RTP/AVP 8'] };
    expect(read(parts)).toMatchObject({ audioIndex: 1, target: { port: 4002 }, voices: [{ codec: 'PCMA' }] });
    expect(answerTo(parts)).toEqual(
      expect.arrayContaining(['m=audio 0 RTP/AVP 18', 'm=audio 20000 RTP/AVP 8']),
    );
  });

  it('reads codecs in the peer’s order, telephone events and the address', () => {
    expect(read()).toMatchObject({
      target: { address: '192.0.2.10', port: 4000 },
      direction: 'sendrecv',
      voices: [
        { payloadType: 8, codec: 'PCMA' },
        { payloadType: 0, codec: 'PCMU' },
      ],
      telephoneEvents: new Map([[101, 8000]]),
      hasRtcpMux: false,
    });
  });

  it('ignores additional spaces in the list of payload types', () => {
    const { sections, voices } = read({ audio: 'm=audio 4000 RTP/AVP 8  101 ' });
    expect(sections).toMatchObject([{ payloads: '8 101' }]);
    expect(voices).toEqual([{ payloadType: 8, codec: 'PCMA' }]);
  });

  it('prefers the address of the section, and follows its rtpmap', () => {
    const media = read({
      audio: 'm=audio 4000 RTP/AVP 0 97 98 110',
      attributes: [
        'c=IN IP4 10.1.2.3',
        'a=rtpmap:0 PCMU/8000/1',
        'a=rtpmap:97 pcma/8000',
        'a=rtpmap:98 PCMU/16000',
        'a=rtpmap:110 Telephone-Event/8000',
        'a=sendonly',
        'a=rtcp-mux',
      ],
    });
    expect(media).toMatchObject({
      target: { address: '10.1.2.3', port: 4000 },
      direction: 'sendonly',
      voices: [
        { payloadType: 0, codec: 'PCMU' },
        { payloadType: 97, codec: 'PCMA' },
      ],
      telephoneEvents: new Map([[110, 8000]]),
      hasRtcpMux: true,
    });
  });

  it.each([
    ['text that is not SDP', '', 'The body is not SDP'],
    [
      'a malformed section',
      `v=0\r\n${'m=audio\r\n'.repeat(3)}`,
      'The SDP has a section that cannot be parsed',
    ],
    ['too many lines', sdp({ after: Array.from({ length: 400 }, () => 'a=x') }), 'The SDP is too long'],
    ['too much text', sdp({ after: [`a=x:${'y'.repeat(20_000)}`] }), 'The SDP is too long'],
    [
      'too many sections',
      sdp({ after: Array.from({ length: 9 }, () => 'm=video 5000 RTP/AVP 96') }),
      'The SDP has too many sections',
    ],
    [
      'audio with port 0',
      sdp({ audio: 'm=audio 0 RTP/AVP 0' }),
      'The SDP has no audio over RTP/AVP, RTP/SAVP or UDP/TLS/RTP/SAVP',
    ],
    [
      'encrypted audio without a key',
      sdp({ audio: 'm=audio 4000 RTP/SAVP 0' }),
      'The SDP has no audio with supported encryption (a=crypto)',
    ],
    [
      'DTLS audio without a fingerprint',
      sdp({ audio: 'm=audio 4000 UDP/TLS/RTP/SAVP 0' }),
      'The SDP has no audio with supported encryption (a=crypto)',
    ],
    [
      'unsupported codecs',
      sdp({ audio: 'm=audio 4000 RTP/AVP 18 97', attributes: ['a=rtpmap:97 opus/48000'] }),
      'The SDP has none of the codecs opus, G722, PCMU, PCMA',
    ],
    ['a missing connection address', sdp({ session: [] }), 'The address for audio is not an IP address'],
  ])('rejects %s', (_, text, reason) => {
    expect(reasonFor(text)).toBe(reason);
  });

  it.each([
    ['a host name', 'c=IN IP4 phone.example.test', 4000, 'is not an IP address'],
    ['an IPv6 address', 'c=IN IP6 2001:db8::1', 4000, 'is an IPv6 address, which this service does not have'],
    ['a multicast address', 'c=IN IP4 239.1.2.3', 4000, 'is not an address of a single host'],
    ['a multicast address with a TTL', 'c=IN IP4 239.1.2.3/127', 4000, 'is not an IP address'],
    ['the broadcast address', 'c=IN IP4 255.255.255.255', 4000, 'is not an address of a single host'],
    ['an address in 0.0.0.0/8', 'c=IN IP4 0.1.2.3', 4000, 'is not an address of a single host'],
    ['a loopback address', 'c=IN IP4 127.0.0.1', 4000, 'is a loopback or link-local address'],
    ['a cloud metadata address', 'c=IN IP4 169.254.169.254', 4000, 'is a loopback or link-local address'],
    ['a privileged port', 'c=IN IP4 192.0.2.10', 53, 'has a port outside 1024 to 65535'],
    ['an invalid port', 'c=IN IP4 192.0.2.10', 70_000, 'has a port outside 1024 to 65535'],
  ])('rejects %s as the address for audio', (_, connection, port, issue) => {
    const text = sdp({ session: [connection], audio: `m=audio ${port} RTP/AVP 0`, attributes: [] });
    expect(reasonFor(text)).toBe(`The address for audio ${issue}`);
  });

  it('accepts private addresses, and loopback addresses when the service has one', () => {
    expect(read({ session: ['c=IN IP4 192.168.1.5'] }).target?.address).toBe('192.168.1.5');
    expect(read({ session: ['c=IN IP4 127.0.0.1'] }, '127.0.0.1').target?.address).toBe('127.0.0.1');
  });

  it('copies no control characters of the offer into the answer', () => {
    const text = sdp({ after: ['m=vi\tdeo 5000 RTP/AVP 96'] });
    expect(isRefusal(readRemoteMedia(text, [OWN])) || !sdpOf(text).includes('\t')).toBe(true);
  });

  function sdpOf(text: string): string {
    const media = readRemoteMedia(text, [OWN]);
    if (isRefusal(media)) return '';
    return new LocalSdp({ address: OWN, port: 20_000 }, 7).answer(media, 'sendrecv');
  }
});

describe('LocalSdp', () => {
  it('offers codecs and telephone events', () => {
    const local = new LocalSdp({ address: OWN, port: 20_000 }, 7);
    expect(local.offer('sendrecv').split('\r\n')).toEqual([
      'v=0',
      'o=- 7 1 IN IP4 198.51.100.7',
      's=-',
      'c=IN IP4 198.51.100.7',
      't=0 0',
      'm=audio 20000 RTP/AVP 96 9 0 8 101 102',
      'a=rtpmap:96 opus/48000/2',
      'a=fmtp:96 maxplaybackrate=16000;sprop-maxcapturerate=24000;useinbandfec=1',
      'a=rtpmap:9 G722/8000',
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:101 telephone-event/8000',
      'a=fmtp:101 0-15',
      'a=rtpmap:102 telephone-event/48000',
      'a=fmtp:102 0-15',
      'a=ptime:20',
      'a=rtcp-mux',
      'a=sendrecv',
      '',
    ]);
  });

  it('increments the version only when the description changes', () => {
    const local = new LocalSdp({ address: OWN, port: 20_000 }, 7);
    const versions = [local.offer('sendrecv'), local.offer('sendrecv'), local.offer('recvonly')];
    expect(versions.map((text) => /^o=- 7 (\d+)/mu.exec(text)?.[1])).toEqual(['1', '1', '2']);
  });

  it('answers with the peer’s preferred codec, and rejects other sections', () => {
    expect(answerTo({ after: ['m=video 5000 RTP/AVP 96', 'a=rtpmap:96 VP8/90000'] })).toEqual([
      'm=audio 20000 RTP/AVP 8 101',
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:101 telephone-event/8000',
      'a=fmtp:101 0-15',
      'a=ptime:20',
      'a=sendrecv',
      'm=video 0 RTP/AVP 96',
    ]);
  });

  it('answers Opus with its parameters and the telephone events of its clock rate, and G.722', () => {
    const attributes = [
      'a=rtpmap:97 opus/48000/2',
      'a=rtpmap:100 telephone-event/8000',
      'a=rtpmap:98 telephone-event/48000',
    ];
    const lines = answerTo({ audio: 'm=audio 4000 RTP/AVP 97 9 0 100 98', attributes });
    expect(lines.slice(0, 5)).toEqual([
      'm=audio 20000 RTP/AVP 97 98',
      'a=rtpmap:97 opus/48000/2',
      'a=fmtp:97 maxplaybackrate=16000;sprop-maxcapturerate=24000;useinbandfec=1',
      'a=rtpmap:98 telephone-event/48000',
      'a=fmtp:98 0-15',
    ]);
    expect(answerTo({ audio: 'm=audio 4000 RTP/AVP 9 0 100', attributes }).slice(0, 3)).toEqual([
      'm=audio 20000 RTP/AVP 9 100',
      'a=rtpmap:9 G722/8000',
      'a=rtpmap:100 telephone-event/8000',
    ]);
  });

  it('answers telephone events with another clock rate, and those without a=rtpmap', () => {
    const wideband = ['a=rtpmap:97 telephone-event/16000'];
    expect(answerTo({ audio: 'm=audio 4000 RTP/AVP 9 97', attributes: wideband }).slice(2, 4)).toEqual([
      'a=rtpmap:97 telephone-event/16000',
      'a=fmtp:97 0-15',
    ]);
    const both = [...wideband, 'a=rtpmap:101 telephone-event/8000'];
    expect(answerTo({ audio: 'm=audio 4000 RTP/AVP 9 97 101', attributes: both })[0]).toBe(
      'm=audio 20000 RTP/AVP 9 101',
    );
    const implied = ['a=fmtp:101 0-15,66', 'a=fmtp:102 mode=20'];
    expect(answerTo({ audio: 'm=audio 4000 RTP/AVP 0 101 102', attributes: implied }).slice(0, 3)).toEqual([
      'm=audio 20000 RTP/AVP 0 101',
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:101 telephone-event/8000',
    ]);
    const impossible = ['a=rtpmap:101 telephone-event/0', 'a=rtpmap:102 telephone-event/90000'];
    expect(answerTo({ audio: 'm=audio 4000 RTP/AVP 0 101 102', attributes: impossible })[0]).toBe(
      'm=audio 20000 RTP/AVP 0',
    );
  });

  it('keeps the peer’s order of sections, and accepts the first usable audio section', () => {
    const lines = answerTo({
      audio: 'm=audio 4000 RTP/SAVP 0',
      attributes: [],
      after: ['m=audio 4002 RTP/AVP 0 9'],
    });
    expect(lines.filter((line) => line.startsWith('m='))).toEqual([
      'm=audio 0 RTP/SAVP 0',
      'm=audio 20000 RTP/AVP 0',
    ]);
  });
});

describe('negotiateMedia', () => {
  it.each([
    ['sendrecv', '192.0.2.10', { direction: 'sendrecv', isTwoWay: true }, true],
    ['sendonly', '192.0.2.10', { direction: 'recvonly', isTwoWay: false }, false],
    ['recvonly', '192.0.2.10', { direction: 'sendonly', isTwoWay: false }, true],
    ['inactive', '192.0.2.10', { direction: 'inactive', isTwoWay: false }, false],
    ['sendrecv', '0.0.0.0', { direction: 'recvonly', isTwoWay: false }, false],
    ['inactive', '0.0.0.0', { direction: 'inactive', isTwoWay: false }, false],
  ])('agrees on direction and hold for %s at %s', (direction, address, expected, sends) => {
    const media = read({ session: [`c=IN IP4 ${address}`], attributes: [`a=${direction}`] });
    const negotiated = negotiateMedia(media, false);
    expect(negotiated).toMatchObject(expected);
    expect(negotiated.sends).toEqual(sends ? { payloadType: 8, codec: 'PCMA' } : null);
  });

  it('accepts the telephone event types of both sides when it sent the offer', () => {
    const media = read({
      audio: 'm=audio 4000 RTP/AVP 0 97',
      attributes: ['a=rtpmap:97 telephone-event/8000'],
    });
    expect([...negotiateMedia(media, false).receives.telephoneEvents]).toEqual([[97, 8000]]);
    expect([...negotiateMedia(media, true).receives.telephoneEvents.keys()]).toEqual([101, 102, 97]);
  });
});
