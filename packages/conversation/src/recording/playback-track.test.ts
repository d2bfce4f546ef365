import { describe, expect, it } from '@jest/globals';
import { PlaybackTrack } from './playback-track.ts';

/** A 440 Hz tone, whose phase identifies the time at any sample rate. */
function tone(fromSample: number, count: number, rateHz: number): Int16Array {
  return Int16Array.from({ length: count }, (_, i) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * 440 * (fromSample + i)) / rateHz)),
  );
}

describe('PlaybackTrack', () => {
  it.each([8000, 16_000, 24_000, 44_100, 48_000])('places audio exactly to the sample at %d Hz', (rateHz) => {
    const track = new PlaybackTrack(rateHz, 48_000);
    const startMs = 250;
    const frame = rateHz / 50;
    for (let i = 0; i < 100; i += 1) track.push(tone(i * frame, frame, rateHz), startMs + i * 20);
    const output = new Int16Array(40_000);
    track.render(0, output);
    track.close();
    expect(output.subarray(0, 4000).every((sample) => sample === 0)).toBe(true);
    expect(output.subarray(4000 + 32_000).every((sample) => sample === 0)).toBe(true);
    const expected = tone(0, 32_000, 16_000);
    let furthestOff = 0;
    // The filter rings at both ends.
    for (let i = 200; i < 31_800; i += 1) {
      furthestOff = Math.max(furthestOff, Math.abs((output[4000 + i] ?? 0) - (expected[i] ?? 0)));
    }
    expect(furthestOff).toBeLessThan(300);
  });

  it('writes silence for a gap without cutting the audio before it', () => {
    const track = new PlaybackTrack(48_000, 48_000);
    track.push(new Int16Array(960).fill(8000), 0);
    track.push(new Int16Array(960).fill(-8000), 500);
    const output = new Int16Array(16_000);
    track.render(0, output);
    track.close();
    expect(output[300]).toBeGreaterThan(7000);
    expect(output.subarray(320, 8000).every((sample) => sample === 0)).toBe(true);
    expect(output[8160]).toBeLessThan(-7000);
    expect(output.subarray(8320).every((sample) => sample === 0)).toBe(true);
  });

  it('drops the part of the audio that arrives too late', () => {
    const track = new PlaybackTrack(16_000, 1000);
    const first = new Int16Array(10);
    track.push(new Int16Array([1, 2, 3, 4]), 0.25);
    track.render(0, first);
    expect([...first]).toEqual([0, 0, 0, 0, 1, 2, 3, 4, 0, 0]);
    track.push(new Int16Array([5, 6, 7, 8]), 0.5);
    const next = new Int16Array(4);
    track.render(10, next);
    track.close();
    expect([...next]).toEqual([7, 8, 0, 0]);
  });
});
