import { describe, expect, it } from '@jest/globals';
import { isEcho } from './echo.ts';

const agent = 'Hello, this is the flower shop. Would you like roses or tulips?';

describe('isEcho', () => {
  it.each([
    ['this is the flower', false],
    ['Hello, this is', false],
    ['hello this was the flower shop', false],
    ['hello', true],
    ['huh', true],
    ['roses or', false],
    ['or tulips with', false],
    ['tulips we', true],
  ])('takes "%s" as one (at the start: %s)', (text, atStart) => {
    expect(isEcho(text, agent, atStart)).toBe(true);
  });

  it.each([
    ['tulips', false],
    ['tulips please', false],
    ['hello is anybody there', true],
    ['the roses', false],
    ['stop now', true],
    ['stop', false],
    ['', true],
  ])('does not take "%s" as one (at the start: %s)', (text, atStart) => {
    expect(isEcho(text, agent, atStart)).toBe(false);
  });

  it('knows none where the agent has said nothing', () => {
    expect(isEcho('hello there', '', true)).toBe(false);
  });
});
