import { describe, expect, it } from '@jest/globals';
import { apiDurationMs, durationText, relativeTime } from './time-format.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);

describe('relativeTime', () => {
  it.each([
    [0, 'just now'],
    [59_999, 'just now'],
    [60_000, '1 min ago'],
    [3_599_999, '59 min ago'],
    [7_200_000, '2 h ago'],
    [6 * 86_400_000, '6 d ago'],
    [-1000, 'in a moment'],
    [-10_800_000, 'in 3 h'],
  ])('formats %d ms ago as %s', (agoMs, text) => {
    expect(relativeTime(NOW_MS - agoMs, NOW_MS)).toBe(text);
  });

  it('returns the date after a week, with the year when it is not the current one', () => {
    expect(relativeTime(NOW_MS - 7 * 86_400_000, NOW_MS)).not.toMatch(/ago|2026/u);
    expect(relativeTime(NOW_MS - 400 * 86_400_000, NOW_MS)).toContain('2025');
  });
});

describe('durationText', () => {
  it.each([
    [0, '0.0 s'],
    [420, '0.4 s'],
    [12_400, '12 s'],
    [59_600, '1:00'],
    [185_000, '3:05'],
    [3_729_000, '1:02:09'],
  ])('formats %d ms as %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

describe('apiDurationMs', () => {
  it.each([
    ['90s', 90_000],
    ['1.500s', 1500],
    ['', NaN],
    ['5m', NaN],
  ])('parses %s', (text, ms) => {
    expect(apiDurationMs(text)).toBe(ms);
  });
});
