import { describe, expect, it } from '@jest/globals';
import { NO_WORDS, textOf, withResult, type ListenResult } from './utterance-words.ts';

const heard = (text: string, startSamples: number, endSamples: number, isFinal = true): ListenResult => ({
  text,
  startSamples,
  endSamples,
  isFinal,
  isFromFinalize: false,
});

const after = (...results: ListenResult[]) => results.reduce(withResult, NO_WORDS);

describe('the words of an utterance', () => {
  it('are the final ones, and the last guess at what follows them', () => {
    const results = [
      heard('I would', 0, 8000, false),
      heard('I would like', 0, 16_000),
      heard('a', 16_000, 20_000, false),
      heard('a table', 16_000, 24_000, false),
    ];
    expect(textOf(after(...results))).toBe('I would like a table');
    expect(after(...results).coveredSamples).toBe(16_000);
    expect(textOf(after(...results, heard('a table.', 16_000, 26_000)))).toBe('I would like a table.');
  });

  it('stay as they are where something comes again, and have no gap for silence', () => {
    const words = after(heard('yes', 0, 8000), heard('', 8000, 16_000), heard('please', 16_000, 24_000));
    expect(textOf(words)).toBe('yes please');
    expect(withResult(words, heard('yes', 0, 8000))).toBe(words);
    expect(withResult(words, heard('of the one before', -8000, 0))).toBe(words);
  });
});
