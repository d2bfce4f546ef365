import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readRtpPacket, rtpPacketBytes, writeRtpPacket, type RtpPacket } from './rtp-packet.ts';

const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
const packets: fc.Arbitrary<RtpPacket> = fc
  .record({
    marker: fc.boolean(),
    payloadType: fc.integer({ min: 0, max: 127 }),
    sequenceNumber: fc.integer({ min: 0, max: 0xffff }),
    timestamp: uint32,
    ssrc: uint32,
    csrcs: fc.array(uint32, { maxLength: 15 }),
    extension: fc.option(
      fc.record({
        profile: fc.integer({ min: 0, max: 0xffff }),
        data: fc.integer({ min: 0, max: 8 }).map((words) => new Uint8Array(words * 4).fill(words)),
      }),
      { nil: undefined },
    ),
    payload: fc.uint8Array({ maxLength: 200 }),
  })
  .map(({ csrcs, extension, ...rest }) => ({
    ...rest,
    ...(csrcs.length > 0 && { csrcs }),
    ...(extension && { extension }),
  }));

function written(packet: RtpPacket): Uint8Array {
  const bytes = new Uint8Array(rtpPacketBytes(packet));
  expect(writeRtpPacket(packet, bytes)).toBe(bytes.length);
  return bytes;
}

describe('RTP packet', () => {
  it('has the byte layout of RFC 3550', () => {
    const packet: RtpPacket = {
      marker: true,
      payloadType: 111,
      sequenceNumber: 0x1234,
      timestamp: 0x89abcdef,
      ssrc: 0xfedcba98,
      csrcs: [1],
      extension: { profile: 0xbede, data: Uint8Array.of(0x10, 0x7f, 0, 0) },
      payload: Uint8Array.of(9, 8),
    };
    const hex = '91ef123489abcdeffedcba98' + '00000001' + 'bede0001107f0000' + '0908';
    expect(Buffer.from(written(packet)).toString('hex')).toBe(hex);
  });

  it('is read as it was written', () => {
    fc.assert(
      fc.property(packets, (packet) => {
        expect(readRtpPacket(written(packet))).toEqual(packet);
      }),
    );
  });

  it('is read without its padding', () => {
    fc.assert(
      fc.property(packets, fc.integer({ min: 1, max: 255 }), (packet, paddingBytes) => {
        const padding = new Uint8Array(paddingBytes);
        padding[paddingBytes - 1] = paddingBytes;
        const bytes = Uint8Array.from([...written(packet), ...padding]);
        bytes[0] = (bytes[0] ?? 0) | 0x20;
        expect(readRtpPacket(bytes)).toEqual(packet);
      }),
    );
  });

  it('is read as null when it is truncated, has another version or too much padding', () => {
    const packet = {
      marker: false,
      payloadType: 0,
      sequenceNumber: 0,
      timestamp: 0,
      ssrc: 0,
      csrcs: [1, 2],
      extension: { profile: 1, data: new Uint8Array(8) },
      payload: new Uint8Array(0),
    };
    const whole = written(packet);
    for (let length = 0; length < whole.length; length += 1) {
      expect(readRtpPacket(whole.subarray(0, length))).toBeNull();
    }
    expect(readRtpPacket(whole)).not.toBeNull();
    for (const paddingBytes of [0, 13, 255]) {
      const padded = new Uint8Array(24);
      padded.set([0xa0]);
      padded[23] = paddingBytes;
      expect(readRtpPacket(padded)).toBeNull();
    }
    expect(readRtpPacket(Uint8Array.of(0x40, ...whole.subarray(1)))).toBeNull();
  });

  it('never throws when read from random bytes, and its payload is within them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        if (bytes.length > 0) bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x80;
        const packet = readRtpPacket(bytes);
        if (packet) expect(packet.payload.length).toBeLessThanOrEqual(bytes.length - 12);
      }),
      { numRuns: 1000 },
    );
  });

  it('is not written when its fields or the buffer have an invalid length', () => {
    const packet = { marker: false, payloadType: 0, sequenceNumber: 0, timestamp: 0, ssrc: 0 };
    const payload = new Uint8Array(20);
    expect(() => writeRtpPacket({ ...packet, payload }, new Uint8Array(31))).toThrow(RangeError);
    const csrcs = new Array<number>(16).fill(0);
    expect(() => writeRtpPacket({ ...packet, payload, csrcs }, new Uint8Array(200))).toThrow(RangeError);
    const extension = { profile: 0, data: new Uint8Array(3) };
    expect(() => writeRtpPacket({ ...packet, payload, extension }, new Uint8Array(200))).toThrow(RangeError);
  });
});
