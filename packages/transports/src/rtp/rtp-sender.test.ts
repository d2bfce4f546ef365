import { describe, expect, it } from '@jest/globals';
import { readRtpPacket, type RtpPacket } from './rtp-packet.ts';
import { RtpSender, type RtpSenderOptions } from './rtp-sender.ts';

const OPTIONS: RtpSenderOptions = {
  ssrc: 0xdeadbeef,
  payloadType: 111,
  clockRateHz: 48_000,
  firstSequenceNumber: 65_534,
  firstTimestamp: 0xffff_ff00,
  retainsPackets: true,
};

function read(bytes: Uint8Array): RtpPacket {
  const packet = readRtpPacket(bytes);
  if (!packet) throw new Error('not RTP');
  return packet;
}

describe('RtpSender', () => {
  it('numbers packets across wraps, and marks the beginning of each talk spurt', () => {
    const sender = new RtpSender(OPTIONS);
    const sent = [0, 20, 40, 1000, 1020].map((mediaMs) => read(sender.audio(Uint8Array.of(1), mediaMs, 20)));
    expect(sent.map(({ sequenceNumber }) => sequenceNumber)).toEqual([65_534, 65_535, 0, 1, 2]);
    expect(sent.map(({ timestamp }) => timestamp)).toEqual([0xffff_ff00, 704, 1664, 47_744, 48_704]);
    expect(sent.map(({ marker }) => marker)).toEqual([true, false, false, true, false]);
    expect(new Set(sent.map(({ ssrc }) => ssrc))).toEqual(new Set([0xdeadbeef]));
  });

  it('sends packets of another payload type in the same stream', () => {
    const sender = new RtpSender(OPTIONS);
    sender.audio(Uint8Array.of(1), 0, 20);
    const event = read(
      sender.send(Uint8Array.of(5, 10, 0, 0), { mediaMs: 20, marker: true, payloadType: 110 }),
    );
    expect(event).toMatchObject({ payloadType: 110, sequenceNumber: 65_535, timestamp: 704, marker: true });
    expect(read(sender.audio(Uint8Array.of(1), 40, 20))).toMatchObject({
      payloadType: 111,
      sequenceNumber: 0,
    });
  });

  it('reuses one buffer, or allocates one for each packet', () => {
    const payload = new Uint8Array(100).fill(7);
    const owned = new RtpSender(OPTIONS);
    const reused = new RtpSender({ ...OPTIONS, retainsPackets: false });
    const keptPacket = owned.audio(payload, 0, 20);
    owned.audio(
      payload.map(() => 9),
      20,
      20,
    );
    expect(read(keptPacket).payload).toEqual(Buffer.from(payload));
    const first = reused.audio(payload, 0, 20);
    const second = reused.audio(payload.subarray(50), 20, 20);
    expect(second.buffer).toBe(first.buffer);
    expect(second.byteOffset).toBe(first.byteOffset);
    expect(read(second).payload).toEqual(Buffer.from(payload.subarray(50)));
  });

  it('rejects a payload above the maximum size', () => {
    const sender = new RtpSender({ ...OPTIONS, retainsPackets: false, maxPayloadBytes: 10 });
    expect(() => sender.audio(new Uint8Array(11), 0, 20)).toThrow(RangeError);
  });
});
