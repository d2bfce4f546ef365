import { createOpusDecoder, createOpusEncoder } from '@calls/audio/opus';
import { humanVoice } from '@calls/testkit/speech/human-voice';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OPUS } from './opus-payload.ts';

async function speechPackets(fec: boolean, sampleRateHz: 16_000 | 24_000 = 24_000): Promise<Uint8Array[]> {
  const speech = await humanVoice('Front_Center', sampleRateHz);
  using encoder = await createOpusEncoder({ sampleRateHz, expectedLossPercent: fec ? 20 : 0 });
  return Array.from({ length: Math.floor(speech.length / encoder.frameSamples) }, (_, i) =>
    encoder.encode(speech.subarray(i * encoder.frameSamples, (i + 1) * encoder.frameSamples)),
  );
}

const redundant = (packets: readonly Uint8Array[]): number =>
  packets.filter((packet) => OPUS.carriesPrevious(packet)).length;

describe('Opus payload', () => {
  it.each([
    [0x08, 960],
    [0x18, 2880],
    [0x60, 480],
    [0x80, 120],
    [0xfc, 960],
    [0xfd, 1920],
    [0x1a, 5760],
  ])('with first byte %i has %i samples', (toc, samples) => {
    expect(OPUS.durationOf(Uint8Array.of(toc, 0, 0))).toBe(samples);
  });

  it('is invalid when it is empty, has no frames or is longer than 120 ms', () => {
    expect(OPUS.durationOf(new Uint8Array(0))).toBeNull();
    expect(OPUS.durationOf(Uint8Array.of(0x0b, 0))).toBeNull();
    expect(OPUS.durationOf(Uint8Array.of(0x0b, 7))).toBeNull();
  });

  it('has the duration that the decoder returns', async () => {
    using decoder = await createOpusDecoder({ sampleRateHz: 48_000 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (payload) => {
        OPUS.carriesPrevious(payload);
        const decoded = decoder.decode(payload);
        if (decoded) expect(OPUS.durationOf(payload)).toBe(decoded.length);
      }),
      { numRuns: 1000 },
    );
  });

  it('carries the previous packet when it contains in-band FEC', async () => {
    for (const rateHz of [16_000, 24_000] as const) {
      const withFec = await speechPackets(true, rateHz);
      expect(redundant(withFec)).toBeGreaterThan(withFec.length / 3);
      expect(redundant(await speechPackets(false, rateHz))).toBe(0);
    }
  });

  it('with several frames carries the previous packet when its first frame contains FEC', async () => {
    const single = (await speechPackets(true)).filter((packet) => ((packet[0] ?? 0) & 3) === 0);
    const carrying = single.find((packet) => OPUS.carriesPrevious(packet)) ?? new Uint8Array(0);
    const bare = single.find((packet) => !OPUS.carriesPrevious(packet)) ?? new Uint8Array(0);
    const toc = carrying[0] ?? 0;
    for (const [first, expected] of [
      [carrying.subarray(1), true],
      [bare.subarray(1), false],
    ] as const) {
      const lengthBytes =
        first.length < 252 ? [first.length] : [252 + (first.length & 3), (first.length - 252) >> 2];
      const equal = Uint8Array.of(toc | 1, ...first, ...first);
      const different = Uint8Array.of(toc | 2, ...lengthBytes, ...first, 9, 9, 9);
      const padded = Uint8Array.of(toc | 3, 0x42, 255, 1, ...first, ...first, ...new Uint8Array(255));
      const variable = Uint8Array.of(toc | 3, 0x82, ...lengthBytes, ...first, 9, 9);
      for (const packet of [equal, different, padded, variable]) {
        expect(OPUS.carriesPrevious(packet)).toBe(expected);
      }
    }
    expect(OPUS.carriesPrevious(Uint8Array.of(toc | 2, 0, 0x40))).toBe(false);
    expect(OPUS.carriesPrevious(Uint8Array.of(toc))).toBe(false);
  });
});
