import { expect, it } from '@jest/globals';
import { estimatedWords } from './estimated-words.ts';

it('estimatedWords spaces words evenly and ends the last word with the audio', () => {
  expect(estimatedWords('One two  three.', 120, 1200)).toEqual([
    { word: 'One', startMs: 0, endMs: 500 },
    { word: 'two', startMs: 500, endMs: 1000 },
    { word: 'three.', startMs: 1000, endMs: 1200 },
  ]);
});
