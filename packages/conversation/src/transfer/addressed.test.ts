import { describe, expect, it } from '@jest/globals';
import { isAddressed } from './addressed.ts';

describe('isAddressed', () => {
  it.each([
    ['Max, what is the price?', 'max', true],
    ['What do you think, MAX?', 'Max', true],
    ['the maximum price', 'Max', false],
    ['Hey José!', 'jose', true],
    ['Ask front  desk, please.', 'Front Desk', true],
    ['the desk in front', 'Front Desk', false],
    ['anything', '', false],
    ['anything', ' .', false],
  ])('for %j and the name %j returns %j', (words, name, expected) => {
    expect(isAddressed(words, name)).toBe(expected);
  });
});
