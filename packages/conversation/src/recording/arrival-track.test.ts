import { describe, expect, it } from '@jest/globals';
import { ArrivalTrack } from './arrival-track.ts';

const FRAME = 320;
const BLOCK = 8000;
const HORIZON = 32_000;

interface Arrival {
  /** When the frame's last sample was spoken and when it arrived, in samples. */
  spokenEnd: number;
  arrivedAt: number;
  value: number;
}

/** Plays arrivals through a track as the recorder does, and returns what it wrote up to `end`. */
function recorded(arrivals: readonly Arrival[], end: number, frameSamples = FRAME): Int16Array {
  const track = new ArrivalTrack(80_000);
  const output = new Int16Array(end);
  let written = 0;
  const renderUntil = (until: number): void => {
    while (written < until) {
      const count = Math.min(BLOCK, until - written);
      track.render(written, output.subarray(written, written + count));
      written += count;
    }
  };
  for (const { arrivedAt, value } of arrivals) {
    renderUntil(Math.floor(Math.max(0, arrivedAt - HORIZON) / BLOCK) * BLOCK);
    track.push(new Int16Array(frameSamples).fill(value), arrivedAt);
  }
  renderUntil(end);
  return output;
}

/** Frames spoken one after the other, numbered from 1, each arriving `delayOf` samples after its end. */
function spoken(count: number, delayOf: (i: number) => number, first = FRAME): Arrival[] {
  let arrivedAt = 0;
  return Array.from({ length: count }, (_, i) => {
    const spokenEnd = first + i * FRAME;
    arrivedAt = Math.max(arrivedAt, spokenEnd + delayOf(i));
    return { spokenEnd, arrivedAt, value: i + 1 };
  });
}

/** The largest distance between a frame in the output and where it was spoken; Infinity if samples are missing. */
function worstShift(output: Int16Array, arrivals: readonly Arrival[]): number {
  const firstAt = new Map<number, number>();
  const lastAt = new Map<number, number>();
  for (let i = 0; i < output.length; i += 1) {
    const sample = output[i] ?? 0;
    if (sample !== output[i - 1] && !firstAt.has(sample)) firstAt.set(sample, i);
    if (sample !== output[i + 1]) lastAt.set(sample, i);
  }
  let worst = 0;
  for (const { spokenEnd, value } of arrivals) {
    const at = firstAt.get(value) ?? -1;
    if (at < 0 || (lastAt.get(value) ?? -1) - at !== FRAME - 1) return Number.POSITIVE_INFINITY;
    worst = Math.max(worst, Math.abs(at + FRAME - spokenEnd));
  }
  return worst;
}

describe('ArrivalTrack', () => {
  it('places regular frames at their arrival times', () => {
    const arrivals = spoken(200, () => 0, 20_000);
    const output = recorded(arrivals, 100_000);
    expect(worstShift(output, arrivals)).toBe(0);
    expect(output.subarray(0, 20_000 - FRAME).every((sample) => sample === 0)).toBe(true);
    expect(output.subarray(20_000 + 199 * FRAME).every((sample) => sample === 0)).toBe(true);
  });

  it('keeps all audio in place when delays vary', () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const arrivals = spoken(3000, () => Math.round(random() ** 4 * 1600));
    // The last 20 frames are excluded: too few frames follow to estimate their delay.
    expect(worstShift(recorded(arrivals, 1_000_000), arrivals.slice(0, -20))).toBeLessThanOrEqual(FRAME);
  });

  it('places audio that a stall delayed at the time when it was spoken', () => {
    // No frame arrives for 1.5 s from frame 100 on; then all of them arrive at once.
    const arrivals = spoken(400, (i) => (i >= 100 && i < 175 ? (175 - i) * FRAME : 0));
    expect(worstShift(recorded(arrivals, 140_000), arrivals)).toBe(0);
  });

  it('inserts silence when the client sent nothing', () => {
    const before = spoken(100, () => 0);
    const after = spoken(100, () => 0, 100 * FRAME + 48_000).map((arrival) => ({
      ...arrival,
      value: arrival.value + 100,
    }));
    const output = recorded([...before, ...after], 120_000);
    expect(worstShift(output, [...before, ...after])).toBe(0);
  });

  it.each([
    ['slow', 1.0005],
    ['fast', 0.9995],
  ])('follows the server clock for an hour when the client clock is %s', (_what, factor) => {
    const frames = 180_000;
    const track = new ArrivalTrack(80_000);
    const block = new Int16Array(BLOCK);
    let written = 0;
    let worst = 0;
    for (let i = 0; i < frames; i += 1) {
      const arrivedAt = Math.round((i + 1) * FRAME * factor);
      // The sample value is the frame number, modulo 30000.
      track.push(new Int16Array(FRAME).fill((i % 30_000) + 1), arrivedAt);
      while (written + BLOCK <= arrivedAt - HORIZON) {
        block.fill(0);
        track.render(written, block);
        const middle = block[BLOCK / 2] ?? 0;
        if (middle !== 0) {
          const frame =
            Math.round(((written + BLOCK / 2) / FRAME / factor - middle) / 30_000) * 30_000 + middle;
          worst = Math.max(worst, Math.abs(frame * FRAME * factor - (written + BLOCK / 2)));
        }
        written += BLOCK;
      }
    }
    // The length of a frame, and the tolerance.
    expect(worst).toBeLessThanOrEqual(3 * FRAME);
    expect(written).toBeGreaterThan(frames * FRAME * factor - HORIZON - 2 * BLOCK);
  });

  it('does not shift other audio when a burst arrives faster than real time', () => {
    const regular = spoken(100, () => 0);
    const burst = Array.from({ length: 100 }, () => ({ spokenEnd: 0, arrivedAt: 100 * FRAME, value: 5000 }));
    const after = spoken(100, () => 0, 101 * FRAME).map((arrival) => ({
      ...arrival,
      value: arrival.value + 100,
    }));
    const output = recorded([...regular, ...burst, ...after], 100_000);
    expect(worstShift(output, regular)).toBe(0);
    expect(worstShift(output, after.slice(5))).toBeLessThanOrEqual(FRAME);
  });

  it('accepts frames of any length', () => {
    const arrivals = Array.from({ length: 20_000 }, (_, i) => ({
      spokenEnd: i + 1,
      arrivedAt: i + 1,
      value: (i % 1000) + 1,
    }));
    const output = recorded(arrivals, 20_000, 1);
    const off = output.findIndex((sample, i) => sample !== (i % 1000) + 1);
    expect(off).toBe(-1);
  });

  it('drops audio beyond its capacity', () => {
    const track = new ArrivalTrack(1000);
    track.push(new Int16Array(700).fill(1), 700);
    track.push(new Int16Array(700).fill(2), 1400);
    const output = new Int16Array(2000);
    track.render(0, output);
    expect(output.filter((sample) => sample === 1)).toHaveLength(700);
    expect(output.filter((sample) => sample === 2)).toHaveLength(300);
    track.push(new Int16Array(700).fill(3), 2700);
    const next = new Int16Array(1000);
    track.render(2000, next);
    expect(next.filter((sample) => sample === 3)).toHaveLength(700);
  });
});
