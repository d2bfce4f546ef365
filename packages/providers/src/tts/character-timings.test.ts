import { describe, expect, it } from '@jest/globals';
import { CharacterTimings } from './character-timings.ts';

describe('CharacterTimings', () => {
  it('joins characters into words across chunks and repeated spaces', () => {
    const timings = new CharacterTimings();
    const timed = (text: string, fromMs: number) => ({
      characters: text.split(''),
      startsMs: Array.from(text, (_, i) => fromMs + i * 10),
      endsMs: Array.from(text, (_, i) => fromMs + i * 10 + 10),
    });
    expect(timings.push(timed('Go', 0))).toEqual([]);
    expect(timings.push(timed('od  day', 20))).toEqual([{ word: 'Good', startMs: 0, endMs: 40 }]);
    expect(timings.push(timed('.', 90))).toEqual([]);
    expect(timings.end()).toEqual([{ word: 'day.', startMs: 60, endMs: 100 }]);
    expect(timings.end()).toEqual([]);
  });
});
