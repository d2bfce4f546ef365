import { describe, expect, it } from '@jest/globals';
import { combinedWaitMs } from './sound-and-words.ts';

describe('combinedWaitMs', () => {
  it.each([
    // [words, probability, wait]: without a result, words decide.
    [0, null, 0],
    [1000, null, 1000],
    // At 0.5 the sound says nothing.
    [0, 0.5, 0],
    [640, 0.5, 640],
    // From half of the delay to 1.2 s more.
    [0, 1, -192],
    [0, 0.75, -96],
    [0, 0.25, 600],
    [0, 0, 1200],
    // Unfinished words.
    [1200, 1, 0],
    [1200, 0.75, 600],
    [640, 0, 1200],
    [1000, 0.25, 1000],
  ])('with %d ms for the words and probability %p: %d ms', (wordsWaitMs, completion, waitMs) => {
    expect(combinedWaitMs(wordsWaitMs, completion, 384)).toBeCloseTo(waitMs, 6);
  });
});
