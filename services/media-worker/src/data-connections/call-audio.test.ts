import { describe, expect, it } from '@jest/globals';
import { bytesFromSamples, concatSamples, levelDbfs, samplesFromBytes } from '@calls/audio/pcm';
import { CallAudio } from './call-audio.ts';

const RATE_HZ = 16_000;

function stereo(left: (i: number) => number, right: (i: number) => number, samples: number): Uint8Array {
  const both = new Int16Array(samples * 2);
  for (let i = 0; i < samples; i += 1) {
    both[2 * i] = left(i);
    both[2 * i + 1] = right(i);
  }
  return bytesFromSamples(both);
}

const tone =
  (frequencyHz: number, rateHz = RATE_HZ) =>
  (i: number): number =>
    Math.round(10_000 * Math.sin((2 * Math.PI * frequencyHz * i) / rateHz));
const silence = (): number => 0;

function samplesOf(frames: readonly Uint8Array[]): Int16Array {
  return concatSamples(frames.map((frame) => samplesFromBytes(frame)));
}

/** All converted frames of audio that is pushed in chunks of 20 ms. */
function converted(audio: CallAudio, pcm: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < pcm.byteLength; at += 1280) frames.push(...audio.push(pcm.subarray(at, at + 1280)));
  frames.push(...audio.flush());
  audio.close();
  return frames;
}

describe('CallAudio', () => {
  it('mixes both sides, and clips at full scale', () => {
    const audio = new CallAudio({ sampleRateHz: RATE_HZ, channelMode: 'mixed' });
    const loud = stereo(
      (i) => (i % 2 === 0 ? 30_000 : -30_000),
      (i) => (i % 2 === 0 ? 30_000 : i),
      640,
    );
    const samples = samplesOf(converted(audio, loud));
    expect([...samples.subarray(0, 4)]).toEqual([32_767, -29_999, 32_767, -29_997]);
    expect(samples.length).toBe(640);
  });

  it('separates the sides: the user left, the agent right', () => {
    const audio = new CallAudio({ sampleRateHz: RATE_HZ, channelMode: 'separated' });
    const pcm = stereo(tone(300), tone(500), RATE_HZ);
    expect(samplesOf(converted(audio, pcm))).toEqual(samplesFromBytes(pcm));
  });

  it.each([8000, 24_000, 11_025])('returns frames of 40 ms at %i Hz', (sampleRateHz) => {
    for (const channelMode of ['mixed', 'separated'] as const) {
      const audio = new CallAudio({ sampleRateHz, channelMode });
      const channels = channelMode === 'mixed' ? 1 : 2;
      const frames = converted(audio, stereo(tone(440), silence, RATE_HZ));
      const lengths = new Set(frames.map(({ byteLength }) => byteLength));
      expect([...lengths]).toEqual([Math.round(sampleRateHz * 0.04) * 2 * channels]);
      const samples = samplesOf(frames);
      const left = samples.filter((_sample, i) => i % channels === 0);
      expect(Math.abs(left.length - sampleRateHz)).toBeLessThanOrEqual(sampleRateHz * 0.04);
      const expected = Int16Array.from({ length: sampleRateHz }, (_, i) => tone(440, sampleRateHz)(i));
      const error = left
        .subarray(400, sampleRateHz - 400)
        .map((sample, i) => sample - (expected[i + 400] ?? 0));
      expect(levelDbfs(error) - levelDbfs(expected)).toBeLessThan(-55);
      if (channelMode === 'separated') {
        expect(levelDbfs(samples.filter((_sample, i) => i % 2 === 1))).toBe(-Infinity);
      }
    }
  });

  it('discards pending audio on reset', () => {
    const audio = new CallAudio({ sampleRateHz: RATE_HZ, channelMode: 'mixed' });
    audio.push(stereo(() => 7, silence, 100));
    audio.reset();
    const [frame] = audio.push(stereo(() => 9, silence, 640));
    expect(new Set(samplesFromBytes(frame ?? new Uint8Array()))).toEqual(new Set([9]));
  });
});
