import { describe, expect, it } from '@jest/globals';
import { wordErrorRate } from './word-error-rate.ts';

describe('wordErrorRate', () => {
  it.each([
    ['The quick brown fox', 'the quick, brown fox!', 0],
    ['the quick brown fox', 'the quick fox', 0.25],
    ['the quick brown fox', 'the thick brown fox', 0.25],
    ['the quick brown fox', 'a the quick brown fox', 0.25],
    ['the quick brown fox', '', 1],
    ['one', 'two three', 2],
    ['', '', 0],
    ['', 'noise', 1],
  ])('of "%s" transcribed as "%s" is %d', (expected, actual, rate) => {
    expect(wordErrorRate(expected, actual)).toBe(rate);
  });
});
