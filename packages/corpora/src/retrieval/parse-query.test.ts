import { describe, expect, it } from '@jest/globals';
import { parseQuery, searchText } from './parse-query.ts';

describe('parseQuery', () => {
  it.each([
    ['a red  lamp', 'a red lamp', ''],
    ['"red lamp" -shop', '"red lamp"', 'shop'],
    ['-"two weeks" lamp -shop', 'lamp', '"two weeks" or shop'],
    ['check-in -out', 'check-in', 'out'],
    ['- -- -"" x', '- -- x', '""'],
    ['   ', '', ''],
    [`lamp ${'x'.repeat(300)}`, 'lamp', ''],
  ])('splits %p into wanted and unwanted terms', (query, wanted, unwanted) => {
    expect(parseQuery(query)).toEqual({ wanted, unwanted });
  });
});

describe('searchText', () => {
  it('separates the words of scripts without spaces, and does not change other text', () => {
    expect(searchText('The shop opens at 9.')).toBe('The shop opens at 9.');
    const words = searchText('図書館は午前に開きます').trim().split(/\s+/u);
    expect(words).toContain('図書館');
    expect(words.length).toBeGreaterThan(3);
  });
});
