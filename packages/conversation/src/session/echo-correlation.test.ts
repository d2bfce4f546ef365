import { describe, expect, it } from '@jest/globals';
import { pinkNoise } from '@calls/audio/noise';
import { AudioHistory, echoCorrelation } from './echo-correlation.ts';

const RATE_HZ = 16_000;
const AGENT = pinkNoise(RATE_HZ * 2, -20, 1);

function tracks(user: Int16Array, atMs: number): [received: AudioHistory, played: AudioHistory] {
  const received = new AudioHistory();
  const played = new AudioHistory();
  played.write(AGENT, RATE_HZ, 0);
  received.write(user, RATE_HZ, atMs);
  return [received, played];
}

/** The agent's audio from 300 to 500 ms, multiplied by `gain`. */
const copy = (gain: number): Int16Array =>
  AGENT.slice(RATE_HZ * 0.3, RATE_HZ * 0.5).map((sample) => Math.round(sample * gain));

describe('echoCorrelation', () => {
  it('detects a faint copy with a delay of 180 ms', () => {
    expect(echoCorrelation(...tracks(copy(0.01), 480), 480, 680)).toBeGreaterThan(0.9);
  });

  it('does not match a different faint sound', () => {
    const other = pinkNoise(RATE_HZ * 0.2, -60, 7);
    expect(echoCorrelation(...tracks(other, 480), 480, 680)).toBeLessThan(0.4);
  });

  it('does not match audio played afterwards or too long before', () => {
    expect(echoCorrelation(...tracks(copy(0.01), 200), 200, 400)).toBeLessThan(0.5);
    expect(echoCorrelation(...tracks(copy(0.01), 1700), 1700, 1900)).toBeLessThan(0.5);
  });

  it('returns null for loud, long or silent audio', () => {
    expect(echoCorrelation(...tracks(copy(0.5), 480), 480, 680)).toBeNull();
    expect(echoCorrelation(...tracks(copy(0.01), 480), 480, 900)).toBeNull();
    expect(echoCorrelation(...tracks(new Int16Array(0), 480), 480, 680)).toBeNull();
  });
});

describe('AudioHistory', () => {
  it('returns silence for gaps, future times and expired audio', () => {
    const track = new AudioHistory();
    track.write(new Int16Array(1600).fill(1000), RATE_HZ, 0);
    track.write(new Int16Array(1600).fill(1000), RATE_HZ, 9000);
    expect(Math.max(...track.read(0, 100))).toBe(0);
    expect(Math.max(...track.read(8000, 9000))).toBe(0);
    expect(Math.max(...track.read(9000, 9100))).toBeCloseTo(1000);
    expect(Math.max(...track.read(9100, 20_000))).toBe(0);
  });
});
