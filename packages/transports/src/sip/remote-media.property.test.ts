import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { negotiateMedia } from './negotiated-media.ts';
import { LocalSdp } from './local-sdp.ts';
import { isRefusal, readRemoteMedia } from './remote-media.ts';
import { addressIssue } from '../rtp/rtp-address.ts';

const OWN = { address: '198.51.100.7', port: 20_000 };

const octet = fc.integer({ min: 0, max: 260 });
const address = fc.oneof(
  fc.constantFrom('192.0.2.10', '0.0.0.0', '127.0.0.1', '255.255.255.255', '::1', 'phone.test', ''),
  fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.')),
);
const payloads = fc
  .array(fc.oneof(fc.integer({ min: -1, max: 130 }), fc.string({ maxLength: 5 })), { maxLength: 80 })
  .map((types) => types.join(' '));
const line = fc.oneof(
  address.map((ip) => `c=IN IP4 ${ip}`),
  fc
    .tuple(
      fc.constantFrom('audio', 'audio', 'video', 'a udio'),
      fc.integer({ min: -1, max: 70_000 }),
      fc.constantFrom('RTP/AVP', 'RTP/AVP', 'RTP/SAVP', 'UDP/TLS/RTP/SAVPF'),
      fc.oneof(fc.constantFrom('0', '8 0', '0 101'), payloads),
    )
    .map(([type, port, protocol, types]) => `m=${type} ${port} ${protocol} ${types}`),
  fc
    .tuple(
      fc.integer({ min: 0, max: 130 }),
      fc.constantFrom('PCMU/8000', 'PCMA/8000/2', 'telephone-event/8000', '/'),
    )
    .map(([type, codec]) => `a=rtpmap:${type} ${codec}`),
  fc.constantFrom('a=sendrecv', 'a=sendonly', 'a=recvonly', 'a=inactive', 'a=rtcp-mux', 'a=rtcp-mux:x'),
  fc.string({ maxLength: 60 }),
);
/** Random lines, sometimes with a valid audio section among them. */
const sdp = fc
  .tuple(
    fc.array(line, { maxLength: 4 }),
    fc.constantFrom([], ['c=IN IP4 192.0.2.10', 'm=audio 4000 RTP/AVP 0 101']),
    fc.array(line, { maxLength: 4 }),
  )
  .map((lines) => ['v=0', 'o=- 1 1 IN IP4 192.0.2.10', 's=-', ...lines.flat(), ''].join('\r\n'));

describe('readRemoteMedia with random SDP', () => {
  it('rejects it, or answers each section and sends audio only to an allowed address', () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.oneof(sdp, sdp, fc.string()), (text) => {
        const remote = readRemoteMedia(text, [OWN.address]);
        if (isRefusal(remote)) return;
        taken += 1;
        if (remote.target) expect(addressIssue(remote.target, [OWN.address])).toBeNull();
        const negotiated = negotiateMedia(remote, false);
        if (negotiated.sends) expect(remote.target).not.toBeNull();
        const lines = new LocalSdp(OWN, 1).answer(remote, negotiated.direction).split('\r\n');
        expect(lines.filter((said) => said.startsWith('m='))).toHaveLength(remote.sections.length);
        expect(lines.slice(0, -1).every((said) => /^[vosctma]=[ -~]+$/u.test(said))).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(taken).toBeGreaterThan(200);
  });
});
