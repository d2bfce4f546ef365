import { describe, expect, it } from '@jest/globals';
import { ThinkingFilter } from './thinking-filter.ts';

const answerOf = (pieces: Iterable<string>): string => {
  const filter = new ThinkingFilter();
  return [...pieces].map((piece) => filter.push(piece)).join('');
};

describe('ThinkingFilter', () => {
  it.each([
    ['<think>\nThe user greets me. 1 < 2.\n</think>\n\nHello! How are you?', 'Hello! How are you?'],
    ['\n<think>\n\n</think>\n\nHello', 'Hello'],
    ['<think>I never stop', ''],
    ['Hello <think> is a tag </think>.', 'Hello <think> is a tag </think>.'],
    [' Hello', ' Hello'],
    ['<this> is no tag', '<this> is no tag'],
  ])('returns the answer of %j, split anywhere', (text, answer) => {
    expect(answerOf([text])).toBe(answer);
    expect(answerOf(text)).toBe(answer);
    for (let at = 1; at < text.length; at += 1)
      expect(answerOf([text.slice(0, at), text.slice(at)])).toBe(answer);
  });

  it('returns an answer without thinking piece by piece', () => {
    const filter = new ThinkingFilter();
    expect(['Hel', 'lo'].map((piece) => filter.push(piece))).toEqual(['Hel', 'lo']);
  });
});
