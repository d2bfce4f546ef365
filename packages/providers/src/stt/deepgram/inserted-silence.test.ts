import { expect, it } from '@jest/globals';
import { InsertedSilence } from './inserted-silence.ts';

it('InsertedSilence converts positions in the sent audio to positions without silence', () => {
  const silence = new InsertedSilence();
  expect(silence.without(70)).toBe(70);
  silence.insert(100, 50);
  silence.insert(180, 20);
  expect([70, 100, 120, 150, 151, 230, 240, 250, 300].map((position) => silence.without(position))).toEqual([
    70, 100, 100, 100, 101, 180, 180, 180, 230,
  ]);
});
