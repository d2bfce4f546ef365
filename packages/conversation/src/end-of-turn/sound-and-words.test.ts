import { describe, expect, it } from '@jest/globals';
import { combinedWaitMs } from './sound-and-words.ts';

describe('combinedWaitMs', () => {
  it.each([
    // [word-based wait, probability, wait]: without a probability, the words decide.
    [0, null, 0],
    [1000, null, 1000],
    // At 0.5 the audio is undecided.
    [0, 0.5, 0],
    [640, 0.5, 640],
    // The wait ranges from half of the delay less to 1.2 s more.
    [0, 1, -192],
    [0, 0.75, -96],
    [0, 0.25, 600],
    [0, 0, 1200],
    // Unfinished words.
    [1200, 1, 0],
    [1200, 0.75, 600],
    [640, 0, 1200],
    [1000, 0.25, 1000],
  ])(
    'with a word-based wait of %d ms and completion probability %p returns %d ms',
    (wordsWaitMs, completion, waitMs) => {
      expect(combinedWaitMs(wordsWaitMs, completion, 384)).toBeCloseTo(waitMs, 6);
    },
  );
});
