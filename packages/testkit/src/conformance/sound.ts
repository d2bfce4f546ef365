import { expect } from '@jest/globals';
import { levelDbfs } from '@calls/audio/pcm';

const FRAME_MS = 20;

/** What is said to a transport, and how it is known at the other end. */
export interface ConformanceSound {
  /** 20 ms; a larger `level` (its sign doesn't count) is louder. */
  frame: (sampleRateHz: number, level: number) => Int16Array<ArrayBuffer>;
  /** `sent` are frames, from quiet to loud. */
  expectSame: (heard: readonly number[], sent: readonly Int16Array[]) => void;
}

/** For media that carry samples as they are. */
export const EXACT_SOUND: ConformanceSound = {
  frame: (sampleRateHz, level) => new Int16Array((sampleRateHz * FRAME_MS) / 1000).fill(level),
  expectSame: (heard, sent) => expect(heard).toEqual(sent.flatMap((samples) => [...samples])),
};

/** For media whose codec keeps what is heard: as long as what was sent, and as loud, frame by frame. */
export const LOSSY_SOUND: ConformanceSound = {
  frame: (sampleRateHz, level) =>
    Int16Array.from({ length: (sampleRateHz * FRAME_MS) / 1000 }, (_, i) =>
      Math.round(4 * Math.abs(level) * Math.sin((2 * Math.PI * 500 * i) / sampleRateHz)),
    ),
  expectSame(heard, sent) {
    const frameSamples = heard.length / sent.length;
    // Rates may differ: a client may decode at one of its own.
    expect(Number.isInteger(frameSamples)).toBe(true);
    const levels = sent.map((_, i) => levelOf(heard.slice(i * frameSamples, (i + 1) * frameSamples)));
    expect(levels).toEqual(levels.toSorted((a, b) => a - b));
    expect(levels.at(-1)).toBeCloseTo(levelOf([...(sent.at(-1) ?? [])]), -1);
  },
};

function levelOf(samples: readonly number[]): number {
  return levelDbfs(Int16Array.from(samples));
}
