import { describe, expect, it } from '@jest/globals';
import { combinedWaitMs, createEndOfTurnDetector } from './detector.ts';

describe('combinedWaitMs', () => {
  it.each([
    // [word-based wait, probability, wait]: without a probability, the words decide.
    [0, null, 0],
    [1000, null, 1000],
    // At 0.5, the audio does not show whether the turn is complete.
    [0, 0.5, 0],
    [640, 0.5, 640],
    // The wait ranges from minus half of the endpoint delay to 1.2 s.
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

describe('an end-of-turn detector', () => {
  it.each<[text: string, completion: number | null, transcriptCompletion: number | null, waitMs: number]>([
    ['tea', null, null, 0],
    ['tea and', null, null, 1200],
    ['tea', null, 0.25, 600],
    ['tea and', null, 1, 0],
    // Speech-to-text judges with silence that has not passed yet, so it cannot end a turn before the delay.
    ['tea', null, 1, 0],
    ['tea', 1, 0, -192],
    ['tea', 0.25, 1, 600],
  ])(
    'for "%s" with the probabilities %p of a model and %p of speech-to-text waits %d ms',
    async (text, completion, transcriptCompletion, waitMs) => {
      const pause = { text, languageHint: 'en', completion, transcriptCompletion, turnEndpointDelayMs: 384 };
      const { signal } = new AbortController();
      expect(await createEndOfTurnDetector(null).extraWaitMs(pause, signal)).toBeCloseTo(waitMs, 6);
    },
  );
});
