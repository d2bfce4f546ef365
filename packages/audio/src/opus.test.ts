import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { seededRandom } from './noise.ts';
import { createOpusDecoder, createOpusEncoder, loadOpus, type OpusSampleRateHz } from './opus.ts';
import { concatSamples, levelDbfs } from './pcm.ts';
import { createResampler } from './resampler.ts';
import { parseWav } from './wav.ts';

const SPEECH = parseWav(readFileSync('/usr/share/sounds/alsa/Front_Center.wav'));

function speechAt(rateHz: number): Int16Array {
  const resampler = createResampler(SPEECH.sampleRateHz, rateHz);
  const samples = concatSamples([resampler.process(SPEECH.samples), resampler.flush()]);
  resampler.close();
  return samples;
}

async function packetsOf(
  samples: Int16Array,
  sampleRateHz: OpusSampleRateHz = 24_000,
): Promise<Uint8Array[]> {
  using encoder = await createOpusEncoder({ sampleRateHz });
  const packets: Uint8Array[] = [];
  for (let start = 0; start + encoder.frameSamples <= samples.length; start += encoder.frameSamples) {
    packets.push(encoder.encode(samples.subarray(start, start + encoder.frameSamples)));
  }
  return packets;
}

/** Signal-to-noise ratio of `actual`, which lags `expected` by `delay` samples. */
function snrDb(expected: Int16Array, actual: Int16Array, delay: number): number {
  const error = actual.subarray(delay).map((sample, i) => sample - (expected[i] ?? 0));
  return levelDbfs(expected) - levelDbfs(error);
}

function bestSnrDb(expected: Int16Array, actual: Int16Array): number {
  return Math.max(...Array.from({ length: 160 }, (_, delay) => snrDb(expected, actual, delay)));
}

describe('Opus', () => {
  beforeAll(loadOpus);

  it.each([
    [24_000, 16_000],
    [16_000, 16_000],
    [48_000, 16_000],
    [24_000, 8000],
  ] as const)('preserves speech that is encoded at %i Hz and decoded at %i Hz', async (from, to) => {
    using decoder = await createOpusDecoder({ sampleRateHz: to });
    const packets = await packetsOf(speechAt(from), from);
    const decoded = concatSamples(packets.map((packet) => decoder.decode(packet) ?? new Int16Array(0)));
    expect(decoded.length).toBe(packets.length * (to / 50));
    expect(bestSnrDb(speechAt(to), decoded)).toBeGreaterThan(6);
  });

  it('stays within the range of its bitrate, and encodes silence', async () => {
    const speech = await packetsOf(speechAt(24_000));
    const bytes = speech.reduce((sum, { length }) => sum + length, 0);
    const bitrate = (bytes * 8) / (speech.length * 0.02);
    expect(bitrate).toBeGreaterThan(20_000);
    expect(bitrate).toBeLessThan(44_000);
    const silence = await packetsOf(new Int16Array(24_000 * 2));
    expect(silence).toHaveLength(100);
    expect(Math.min(...silence.map(({ length }) => length))).toBeGreaterThan(2);
  });

  it('accepts whole frames only', async () => {
    using encoder = await createOpusEncoder();
    expect(encoder.frameSamples).toBe(480);
    for (const length of [0, 479, 481, 960]) {
      expect(() => encoder.encode(new Int16Array(length))).toThrow(RangeError);
    }
  });

  it('returns arrays that later calls do not modify', async () => {
    using decoder = await createOpusDecoder();
    const packets = await packetsOf(speechAt(24_000));
    const outputs = packets.map((packet) => decoder.decode(packet) ?? new Int16Array(0));
    const copies = outputs.map((output) => output.slice());
    decoder.conceal(60);
    expect(outputs).toEqual(copies);
    const packetCopies = packets.map((packet) => packet.slice());
    await packetsOf(speechAt(24_000));
    expect(packets).toEqual(packetCopies);
  });

  it('decodes packets of several frames, other lengths and stereo', async () => {
    // SILK frames in one packet: as many as fit 120 ms, with an explicit count (code 3, constant bitrate).
    const [frame] = (await packetsOf(speechAt(16_000).subarray(8000), 16_000)).filter(
      (packet) => ((packet[0] ?? 0) & 3) === 0,
    );
    const body = frame?.subarray(1) ?? new Uint8Array(0);
    const toc = frame?.[0] ?? 0;
    using decoder = await createOpusDecoder();
    expect(decoder.decode(Uint8Array.of(toc | 1, ...body, ...body))).toHaveLength(640);
    for (const count of [1, 3, 6]) {
      const packet = Uint8Array.of(toc | 3, count, ...Array.from({ length: count }, () => [...body]).flat());
      expect(decoder.decode(packet)).toHaveLength(320 * count);
    }
    expect(decoder.decode(Uint8Array.of(toc | 3, 7, ...new Uint8Array(70)))).toBeNull();
    // CELT of 2.5 to 20 ms and SILK of 10 to 60 ms, mono and stereo, with arbitrary contents.
    const anything = new Uint8Array(40).fill(0x5a);
    const lengths = [16, 17, 18, 19, 0, 1, 2, 3].map((config) =>
      [0, 4].map((stereo) => decoder.decode(Uint8Array.of((config << 3) | stereo, ...anything))?.length),
    );
    const wanted = [2.5, 5, 10, 20, 10, 20, 40, 60].map((durationMs) => durationMs * 16);
    expect(lengths).toEqual(wanted.map((length) => [length, length]));
  });

  it('conceals and recovers exactly the requested duration', async () => {
    using decoder = await createOpusDecoder();
    const [first, , third] = await packetsOf(speechAt(24_000).subarray(12_000));
    decoder.decode(first ?? new Uint8Array(0));
    for (const durationMs of [0.0625, 1, 2.5, 10, 20, 33, 60, 119.5, 120]) {
      expect(decoder.conceal(durationMs)).toHaveLength(Math.round(durationMs * 16));
      expect(decoder.recover(third ?? new Uint8Array(0), durationMs)).toHaveLength(
        Math.round(durationMs * 16),
      );
    }
  });

  it('is not affected by invalid packets in another decoder', async () => {
    const packets = await packetsOf(speechAt(24_000));
    using victim = await createOpusDecoder();
    using other = await createOpusDecoder();
    using alone = await createOpusDecoder();
    const expected = packets.map((packet) => alone.decode(packet));
    const random = seededRandom(5);
    const noise = fc.uint8Array({ maxLength: 1500 });
    const damaged = fc
      .record({ which: fc.nat(), at: fc.nat(), value: fc.nat(255), length: fc.nat(200) })
      .map(({ which, at, value, length }) => {
        const packet = packets[which % packets.length]?.slice(0, length) ?? new Uint8Array(0);
        if (packet.length > 0) packet[at % packet.length] = value;
        return packet;
      });
    let next = 0;
    fc.assert(
      fc.property(fc.oneof(noise, damaged), (payload) => {
        const decoded = random() < 0.3 ? victim.recover(payload, 20) : victim.decode(payload);
        if (decoded) expect(decoded.length).toBeLessThanOrEqual(1920);
        if (next < packets.length) {
          expect(other.decode(packets[next] ?? payload)).toEqual(expected[next]);
          next += 1;
        }
      }),
      { numRuns: 3000 },
    );
    expect(next).toBe(packets.length);
    // After valid packets, its output soon matches that of other decoders.
    const again = packets.map((packet) => victim.decode(packet) ?? new Int16Array(0));
    const rest = (all: readonly (Int16Array | null)[]): Int16Array =>
      concatSamples(all.slice(10).map((samples) => samples ?? new Int16Array(0)));
    expect(snrDb(rest(expected), rest(again), 0)).toBeGreaterThan(10);
  });

  it('releases memory when disposed', async () => {
    const useAndFree = async (): Promise<void> => {
      for (let i = 0; i < 1000; i += 1) {
        using encoder = await createOpusEncoder();
        using decoder = await createOpusDecoder();
        decoder.decode(encoder.encode(new Int16Array(480)));
      }
    };
    await useAndFree();
    const beforeBytes = process.memoryUsage().rss;
    await useAndFree();
    // A leak would take 100 MB.
    expect(process.memoryUsage().rss - beforeBytes).toBeLessThan(32 * 1024 * 1024);
    const encoder = await createOpusEncoder();
    encoder[Symbol.dispose]();
    encoder[Symbol.dispose]();
    expect(() => encoder.encode(new Int16Array(480))).toThrow('freed');
  });
});
