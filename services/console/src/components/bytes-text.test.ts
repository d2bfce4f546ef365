import { describe, expect, it } from '@jest/globals';
import { bytesText } from './bytes-text.ts';

describe('bytesText', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1500, '1.5 kB'],
    [12_345_678, '12 MB'],
    [5e12, '5000 GB'],
  ])('formats %d as %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });
});
