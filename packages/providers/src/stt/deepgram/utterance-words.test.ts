import { describe, expect, it } from '@jest/globals';
import {
  NO_WORDS,
  transcriptOf,
  withResult,
  type ListenResult,
  type UtteranceWords,
} from './utterance-words.ts';

const result = (text: string, endSamples: number, isFinal = true): ListenResult => ({
  text,
  endSamples,
  isFinal,
  isSettled: isFinal,
  isFromFinalize: false,
});

const textOf = (words: UtteranceWords): string => transcriptOf(words).text;

const after = (...results: ListenResult[]) => results.reduce(withResult, NO_WORDS);

describe('transcript of an utterance', () => {
  it('consists of the final results and the last interim result after them', () => {
    const results = [
      result('I would', 8000, false),
      result('I would like', 16_000),
      result('a', 20_000, false),
      result('a table', 24_000, false),
    ];
    expect(textOf(after(...results))).toBe('I would like a table');
    expect(after(...results)).toMatchObject({ finalSamples: 16_000, coveredSamples: 24_000 });
    expect(textOf(after(...results, result('a table.', 26_000)))).toBe('I would like a table.');
  });

  it('ignores repeated and earlier results, and adds no gap for silence', () => {
    const words = after(result('yes', 8000), result('', 16_000), result('please', 24_000));
    expect(textOf(words)).toBe('yes please');
    expect(withResult(words, result('yes', 8000))).toBe(words);
    expect(withResult(words, result('of the one before', 0))).toBe(words);
  });
});
