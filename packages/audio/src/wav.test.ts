import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { concatSamples } from './pcm.ts';
import { encodeWav, parseWav } from './wav.ts';
import { buildWavHeader, WavError } from './wav-header.ts';
import { WavStreamReader } from './wav-stream-reader.ts';

const SAMPLES = Int16Array.of(0, 1000, -1000, 32_767, -32_768, 7);

function chunk(id: string, body: Uint8Array, sizeBytes = body.byteLength): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32LE(sizeBytes, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.byteLength % 2)]);
}

function format(tag: number, channels: number, bits: number, sampleRateHz = 16_000): Buffer {
  const body = Buffer.alloc(tag === 0xfffe ? 40 : 16);
  body.writeUInt16LE(tag, 0);
  body.writeUInt16LE(channels, 2);
  body.writeUInt32LE(sampleRateHz, 4);
  body.writeUInt32LE((sampleRateHz * channels * bits) / 8, 8);
  body.writeUInt16LE((channels * bits) / 8, 12);
  body.writeUInt16LE(bits, 14);
  if (tag === 0xfffe) {
    body.writeUInt16LE(22, 16);
    body.writeUInt16LE(bits, 18);
    body.set(Buffer.from('0100000000001000800000aa00389b71', 'hex'), 24);
  }
  return body;
}

function riff(chunks: readonly Buffer[], sizeBytes?: number): Buffer {
  const body = Buffer.concat([Buffer.from('WAVE'), ...chunks]);
  return chunk('RIFF', body, sizeBytes ?? body.byteLength);
}

const pcm = (samples: Int16Array): Buffer =>
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

describe('parseWav', () => {
  it('parses the output of encodeWav', () => {
    expect(parseWav(encodeWav(SAMPLES, 22_050))).toEqual({ sampleRateHz: 22_050, samples: SAMPLES });
    expect(parseWav(encodeWav(new Int16Array(0), 8000)).samples).toHaveLength(0);
  });

  it('parses extensible formats and chunks of odd length', () => {
    const file = riff([
      chunk('LIST', Buffer.from('abc')),
      chunk('fmt ', format(0xfffe, 1, 16)),
      chunk('fact', Buffer.alloc(4)),
      chunk('data', pcm(SAMPLES)),
      chunk('LIST', Buffer.from('software')),
    ]);
    expect(parseWav(file)).toEqual({ sampleRateHz: 16_000, samples: SAMPLES });
  });

  it('reads to the end when the length is a placeholder', () => {
    for (const [riffBytes, dataBytes] of [
      [0, 0],
      [0xffff_ffff, 0xffff_ffff],
      [0xffff_ffff, 0],
      [0x7fff_f024, 0x7fff_f000],
      [36 + 12, 5_000_000],
    ] as const) {
      const file = riff([chunk('fmt ', format(1, 1, 16)), chunk('data', pcm(SAMPLES), dataBytes)], riffBytes);
      expect(parseWav(file).samples).toEqual(SAMPLES);
    }
    const empty = riff([chunk('fmt ', format(1, 1, 16)), chunk('data', pcm(SAMPLES), 0)]);
    expect(parseWav(empty).samples).toHaveLength(0);
  });

  it('parses 8, 24 and 32 bits, floats and G.711', () => {
    const read = (tag: number, bits: number, data: Buffer): number[] => [
      ...parseWav(riff([chunk('fmt ', format(tag, 1, bits)), chunk('data', data)])).samples,
    ];
    expect(read(1, 8, Buffer.of(0, 128, 255))).toEqual([-32_768, 0, 32_512]);
    expect(read(1, 24, Buffer.of(0, 0, 0x80, 0x7f, 1, 0, 0xff, 0xff, 0x7f))).toEqual([-32_768, 1, 32_767]);
    const wide = Buffer.alloc(8);
    wide.writeInt32LE(-0x8000_0000, 0);
    wide.writeInt32LE(1000 * 65_536, 4);
    expect(read(1, 32, wide)).toEqual([-32_768, 1000]);
    expect(read(3, 32, Buffer.from(Float32Array.of(0.5, -1, 1.5).buffer))).toEqual([16_384, -32_768, 32_767]);
    expect(read(3, 64, Buffer.from(Float64Array.of(0.5, -1).buffer))).toEqual([16_384, -32_768]);
    expect(read(7, 8, Buffer.of(0x80, 0xff))).toEqual([32_124, 0]);
    expect(read(6, 8, Buffer.of(0xaa, 0xd5))).toEqual([32_256, 8]);
  });

  it('mixes stereo to mono', () => {
    const left = Int16Array.of(100, -200, 32_767);
    const right = Int16Array.of(300, -200, 32_767);
    const file = encodeWav([left, right], 8000);
    expect(parseWav(file)).toEqual({ sampleRateHz: 8000, samples: Int16Array.of(200, -200, 32_767) });
    expect(() => encodeWav([left, right.subarray(1)], 8000)).toThrow(RangeError);
  });

  it('throws a WavError that describes the issue', () => {
    const cases: [Uint8Array, string][] = [
      [new Uint8Array(0), 'end before the audio'],
      [Buffer.from('this is a text, not a sound'), 'not a RIFF WAVE'],
      [riff([chunk('data', pcm(SAMPLES))]), 'before its format'],
      [riff([chunk('fmt ', format(1, 1, 16))]), 'end before the audio'],
      [riff([chunk('fmt ', format(1, 0, 16)), chunk('data', pcm(SAMPLES))]), 'no channel'],
      [riff([chunk('fmt ', format(1, 1, 12)), chunk('data', pcm(SAMPLES))]), '12 bits'],
      [riff([chunk('fmt ', format(85, 1, 16)), chunk('data', pcm(SAMPLES))]), 'format 85'],
      [riff([chunk('fmt ', Buffer.alloc(8)), chunk('data', pcm(SAMPLES))]), 'too short'],
      [riff([chunk('fmt ', format(1, 1, 16, 0)), chunk('data', pcm(SAMPLES))]), 'sample rate'],
    ];
    for (const [bytes, message] of cases) {
      expect(() => parseWav(bytes)).toThrow(WavError);
      expect(() => parseWav(bytes)).toThrow(message);
    }
  });

  it('parses a real recording', () => {
    const { sampleRateHz, samples } = parseWav(readFileSync('/usr/share/sounds/alsa/Front_Center.wav'));
    expect(sampleRateHz).toBe(48_000);
    expect(samples.length / sampleRateHz).toBeCloseTo(1.43, 1);
  });
});

describe('WavStreamReader', () => {
  it('yields the same samples however the stream is chunked', () => {
    const file = riff([
      chunk('fmt ', format(0xfffe, 2, 24)),
      chunk('data', Buffer.from(Array.from({ length: 600 }, (_, i) => i & 255))),
      chunk('LIST', Buffer.from('ignored')),
    ]);
    const whole = parseWav(file).samples;
    for (const pieceBytes of [1, 7, 64, 10_000]) {
      const reader = new WavStreamReader();
      const parts: Int16Array[] = [];
      for (let start = 0; start < file.length; start += pieceBytes) {
        parts.push(reader.push(file.subarray(start, start + pieceBytes)));
      }
      expect(concatSamples(parts)).toEqual(whole);
      expect(reader.format?.sampleRateHz).toBe(16_000);
    }
  });

  it('parses a stream without a length', () => {
    const reader = new WavStreamReader();
    expect(reader.push(buildWavHeader({ sampleRateHz: 24_000 }))).toHaveLength(0);
    expect(reader.push(pcm(SAMPLES))).toEqual(SAMPLES);
    expect(reader.format).toMatchObject({ sampleRateHz: 24_000, channels: 1 });
  });

  it('rejects invalid data and endless headers', () => {
    expect(() => new WavStreamReader().push(Buffer.from('{"error": "no such voice"}'))).toThrow(WavError);
    const endless = new WavStreamReader();
    endless.push(Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4), Buffer.from('WAVE')]));
    expect(() => endless.push(chunk('LIST', Buffer.alloc(70_000), 1_000_000))).toThrow('does not start');
  });
});
