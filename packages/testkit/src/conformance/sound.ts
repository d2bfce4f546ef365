import { expect } from '@jest/globals';
import { levelDbfs } from '@calls/audio/pcm';

const FRAME_MS = 20;

/** Test audio for a transport, and how to compare it at the remote end. */
export interface ConformanceSound {
  /** 20 ms of audio; a larger absolute `level` is louder. */
  frame: (sampleRateHz: number, level: number) => Int16Array<ArrayBuffer>;
  /** `sent` are frames, from quiet to loud. */
  expectSame: (received: readonly number[], sent: readonly Int16Array[]) => void;
}

/** Comparison for media that carry samples unchanged. */
export const EXACT_SOUND: ConformanceSound = {
  frame: (sampleRateHz, level) => new Int16Array((sampleRateHz * FRAME_MS) / 1000).fill(level),
  expectSame: (received, sent) => expect(received).toEqual(sent.flatMap((samples) => [...samples])),
};

/** Comparison for lossy codecs: length, and level frame by frame. */
export const LOSSY_SOUND: ConformanceSound = {
  frame: (sampleRateHz, level) =>
    Int16Array.from({ length: (sampleRateHz * FRAME_MS) / 1000 }, (_, i) =>
      Math.round(4 * Math.abs(level) * Math.sin((2 * Math.PI * 500 * i) / sampleRateHz)),
    ),
  expectSame(received, sent) {
    const frameSamples = received.length / sent.length;
    // Rates may differ: a client may decode at another rate.
    expect(Number.isInteger(frameSamples)).toBe(true);
    const levels = sent.map((_, i) => levelOf(received.slice(i * frameSamples, (i + 1) * frameSamples)));
    expect(levels).toEqual(levels.toSorted((a, b) => a - b));
    expect(levels.at(-1)).toBeCloseTo(levelOf([...(sent.at(-1) ?? [])]), -1);
  },
};

function levelOf(samples: readonly number[]): number {
  return levelDbfs(Int16Array.from(samples));
}
