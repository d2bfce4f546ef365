import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { systemClock } from '@calls/foundation/clock';
import { DtmfInput, KEY_PAUSE_MS, MAX_KEYS } from './dtmf-input.ts';

function phone(text = 'Keys: {digits}') {
  const texts: string[] = [];
  const input = new DtmfInput({ text, clock: systemClock, onText: (each) => texts.push(each) });
  return { texts, input };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('DtmfInput', () => {
  it('combines keys that follow each other within 1.5 s', () => {
    const { texts, input } = phone();
    for (const key of '4711') {
      input.press(key);
      jest.advanceTimersByTime(KEY_PAUSE_MS - 1);
    }
    expect(texts).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(texts).toEqual(['Keys: 4711']);
    input.press('9');
    jest.advanceTimersByTime(KEY_PAUSE_MS);
    expect(texts).toEqual(['Keys: 4711', 'Keys: 9']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('accepts only digits, *, # and A to D', () => {
    const { texts, input } = phone('{digits}');
    const taken = ['0', '*', '#', 'a', 'D'].map((key) => input.press(key));
    const others = ['w', 'E', '', '12', ' ', '٣', '\n'].map((key) => input.press(key));
    jest.advanceTimersByTime(KEY_PAUSE_MS);
    expect([taken.every(Boolean), others.some(Boolean), texts]).toEqual([true, false, ['0*#AD']]);
  });

  it('does not extend the pause for an invalid key', () => {
    const { texts, input } = phone('{digits}');
    input.press('1');
    jest.advanceTimersByTime(KEY_PAUSE_MS - 1);
    input.press('w');
    jest.advanceTimersByTime(1);
    expect(texts).toEqual(['1']);
  });

  it('replaces every placeholder in the text', () => {
    const { texts, input } = phone('{digits}, I said {digits}. {other}');
    input.press('5');
    jest.advanceTimersByTime(KEY_PAUSE_MS);
    expect(texts).toEqual(['5, I said 5. {other}']);
  });

  it('completes a message at a hundred keys and starts the next', () => {
    const { texts, input } = phone('{digits}');
    for (let i = 0; i < 2 * MAX_KEYS + 3; i += 1) input.press(String(i % 10));
    expect(texts.map(({ length }) => length)).toEqual([MAX_KEYS, MAX_KEYS]);
    jest.advanceTimersByTime(KEY_PAUSE_MS);
    expect(texts.at(-1)).toBe('012');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('returns the incomplete message when closed', () => {
    const { texts, input } = phone();
    expect(input.close()).toBeNull();
    input.press('1');
    input.press('2');
    expect([input.close(), texts, jest.getTimerCount()]).toEqual(['Keys: 12', [], 0]);
  });
});
