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
  ])('takes %p apart', (query, wanted, unwanted) => {
    expect(parseQuery(query)).toEqual({ wanted, unwanted });
  });
});

describe('searchText', () => {
  it('parts the words of scripts that put no spaces between them, and leaves others alone', () => {
    expect(searchText('The shop opens at 9.')).toBe('The shop opens at 9.');
    const words = searchText('図書館は午前に開きます').trim().split(/\s+/u);
    expect(words).toContain('図書館');
    expect(words.length).toBeGreaterThan(3);
  });
});
