import { describe, expect, it } from '@jest/globals';
import { ruleText } from './rule-text.ts';

describe('ruleText', () => {
  it.each([
    [10, 60, '10 calls in 1 minute'],
    [1, 90, '1 call in 90 seconds'],
    [5, 1, '5 calls in 1 second'],
    [100, 7200, '100 calls in 2 hours'],
    [100, 86_400, '100 calls in 1 day'],
  ])('formats %d calls in %d s', (maxCalls, windowSeconds, text) => {
    expect(ruleText({ maxCalls, windowSeconds })).toBe(text);
  });
});
