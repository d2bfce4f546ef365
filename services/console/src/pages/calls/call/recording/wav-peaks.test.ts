import { describe, expect, it } from '@jest/globals';
import { HEADER_BYTES, peakBetween, PeakBuilder, readFormat } from './wav-peaks.ts';

const SAMPLE_RATE_HZ = 16_000;

/** A RIFF header without the sizes, which the reader ignores. */
function headerOf(channels: number): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES));
  for (const [at, text] of [
    [0, 'RIFF'],
    [8, 'WAVE'],
    [12, 'fmt '],
    [36, 'data'],
  ] as const) {
    for (let i = 0; i < 4; i += 1) view.setUint8(at + i, text.charCodeAt(i));
  }
  view.setUint16(22, channels, true);
  view.setUint32(24, SAMPLE_RATE_HZ, true);
  view.setUint16(34, 16, true);
  return view.buffer;
}

describe('WAV peaks', () => {
  it('are read from files with the header of recordings only', () => {
    const bytes = 4 * SAMPLE_RATE_HZ;
    expect(readFormat(headerOf(2), HEADER_BYTES + bytes)).toEqual({
      sampleRateHz: SAMPLE_RATE_HZ,
      blocks: SAMPLE_RATE_HZ,
    });
    expect(() => readFormat(headerOf(1), HEADER_BYTES + bytes)).toThrow('is not supported');
    expect(() => readFormat(new ArrayBuffer(10), 10)).toThrow('is not supported');
  });

  it('are the loudest samples of each channel, however the samples are split into chunks', () => {
    const blocks = 480;
    const samples = new Int16Array(blocks * 2);
    samples[2 * 5] = -32_768;
    samples[2 * 170 + 1] = 16_384;
    samples[2 * 479] = 1280;
    samples[2 * 479 + 1] = -2560;
    for (const pieceBlocks of [480, 160, 7]) {
      const builder = new PeakBuilder({ sampleRateHz: SAMPLE_RATE_HZ, blocks });
      for (let at = 0; at < samples.length; at += 2 * pieceBlocks) {
        builder.add(samples.subarray(at, at + 2 * pieceBlocks));
      }
      expect([...builder.user]).toEqual([255, 0, 10]);
      expect([...builder.agent]).toEqual([0, 128, 20]);
      expect(builder.filled).toBe(3);
      expect(builder.durationMs).toBe(30);
    }
  });

  it('cover the samples received so far and ignore samples beyond the announced length', () => {
    const builder = new PeakBuilder({ sampleRateHz: SAMPLE_RATE_HZ, blocks: 320 });
    builder.add(new Int16Array(2 * 161));
    expect(builder.filled).toBe(2);
    builder.add(new Int16Array(2 * 1000).fill(32_767));
    expect(builder.filled).toBe(2);
    expect(builder.user).toHaveLength(2);
  });

  it('include the loudest peak of a range, also when the range covers only part of a peak', () => {
    const peaks = Uint8Array.from([0, 255, 51, 0]);
    expect(peakBetween(peaks, 0, 10)).toBe(0);
    expect(peakBetween(peaks, 0, 40)).toBe(1);
    expect(peakBetween(peaks, 23, 24)).toBe(0.2);
    expect(peakBetween(peaks, 500, 600)).toBe(0);
  });
});
