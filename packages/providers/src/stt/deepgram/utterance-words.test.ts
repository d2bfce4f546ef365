import { describe, expect, it } from '@jest/globals';
import { NO_WORDS, textOf, withResult, type ListenResult } from './utterance-words.ts';

const result = (text: string, startSamples: number, endSamples: number, isFinal = true): ListenResult => ({
  text,
  startSamples,
  endSamples,
  isFinal,
  isFromFinalize: false,
});

const after = (...results: ListenResult[]) => results.reduce(withResult, NO_WORDS);

describe('transcript of an utterance', () => {
  it('consists of the final results and the last interim result after them', () => {
    const results = [
      result('I would', 0, 8000, false),
      result('I would like', 0, 16_000),
      result('a', 16_000, 20_000, false),
      result('a table', 16_000, 24_000, false),
    ];
    expect(textOf(after(...results))).toBe('I would like a table');
    expect(after(...results)).toMatchObject({ finalSamples: 16_000, coveredSamples: 24_000 });
    expect(textOf(after(...results, result('a table.', 16_000, 26_000)))).toBe('I would like a table.');
  });

  it('ignores repeated and earlier results, and adds no gap for silence', () => {
    const words = after(result('yes', 0, 8000), result('', 8000, 16_000), result('please', 16_000, 24_000));
    expect(textOf(words)).toBe('yes please');
    expect(withResult(words, result('yes', 0, 8000))).toBe(words);
    expect(withResult(words, result('of the one before', -8000, 0))).toBe(words);
  });
});
