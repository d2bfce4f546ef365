import { describe, expect, it } from '@jest/globals';
import { pinkNoise } from '@calls/audio/noise';
import { AudioHistory, echoCorrelation, EchoDetector } from './echo-correlation.ts';

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

describe('EchoDetector', () => {
  const sum = (a: Int16Array, b: Int16Array): Int16Array => a.map((sample, i) => sample + (b[i] ?? 0));
  const isEcho = (user: Int16Array, atMs: number): boolean =>
    new EchoDetector(...tracks(user, atMs)).isEcho(atMs + (user.length / RATE_HZ) * 1000);

  it.each([0, 50, 180, 400, 600])('recognizes the agent %d ms later, at any level', (delayMs) => {
    for (const gain of [0.5, 0.1, 0.03]) expect(isEcho(copy(gain), 300 + delayMs)).toBe(true);
  });

  it('recognizes it in softer noise, and from its first window on', () => {
    expect(isEcho(sum(copy(0.1), pinkNoise(3200, -46, 3)), 480)).toBe(true);
    expect(
      isEcho(
        AGENT.slice(0, 512).map((sample) => Math.round(sample * 0.1)),
        180,
      ),
    ).toBe(true);
  });

  it('does not take the user for an echo, alone or over an echo that is softer', () => {
    const user = pinkNoise(3200, -36, 5);
    expect(isEcho(user, 480)).toBe(false);
    expect(isEcho(sum(copy(0.1), user), 480)).toBe(false);
  });

  it('does not match clicks with each other, nor anything while the agent has been silent', () => {
    const click = new Int16Array(3200).fill(20_000, 1600);
    expect(isEcho(click, 480)).toBe(false);
    expect(isEcho(pinkNoise(3200, -36, 5), 6000)).toBe(false);
  });

  describe('similarity', () => {
    const NOISE = pinkNoise(RATE_HZ, -12, 5);
    /** A detector that has found an echo with a delay of 180 ms. `sound`: what the microphone gets at `atMs`. */
    function detectorWith(sound: Int16Array, atMs = 1500): EchoDetector {
      const [captured, played] = tracks(AGENT.slice(0, RATE_HZ), 180);
      const detector = new EchoDetector(captured, played);
      expect(detector.similarity(500, 1000)).toBeNull();
      expect(detector.isEcho(1000)).toBe(true);
      captured.write(sound, RATE_HZ, atMs);
      return detector;
    }
    /** The agent's audio whose echo arrives from 1500 ms on. */
    const ECHO = AGENT.slice(RATE_HZ * 1.32, RATE_HZ * 1.82);

    it('is high for an echo with the delay of the one found before, or with a delay some milliseconds longer', () => {
      expect(detectorWith(ECHO).similarity(1500, 2000)).toBeGreaterThan(0.9);
      expect(detectorWith(ECHO, 1508).similarity(1508, 2008)).toBeGreaterThan(0.9);
      expect(detectorWith(ECHO, 1540).similarity(1540, 2040)).toBeLessThan(0.2);
    });

    it('is lower, but not low, for an echo in louder noise', () => {
      const similarity = detectorWith(sum(ECHO, NOISE)).similarity(1500, 2000);
      expect(similarity).toBeGreaterThan(0.3);
      expect(similarity).toBeLessThan(0.6);
    });

    it('is low for other sound, and null if nothing was played', () => {
      expect(detectorWith(NOISE).similarity(1500, 2000)).toBeLessThan(0.2);
      expect(detectorWith(NOISE, 3000).similarity(3000, 3500)).toBeNull();
    });
  });

  it('follows a known delay without another search', () => {
    const [captured, played] = tracks(AGENT, 180);
    const detector = new EchoDetector(captured, played);
    const found = Array.from({ length: 50 }, (_, i) => detector.isEcho(500 + 32 * i));
    expect(new Set(found)).toEqual(new Set([true]));
  });
});
