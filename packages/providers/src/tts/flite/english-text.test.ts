import { describe, expect, it } from '@jest/globals';
import { englishText, partsOf } from './english-text.ts';

describe('englishText', () => {
  it.each([
    ['  Café “Zoë”…\n it’s – good ', 'Cafe "Zoe"... it\'s - good'],
    ['€5 & £1,250.50, #4', '5 euros and 1,250.50 pounds , number 4'],
    ['me@example.com at 3 p.m., e.g. Dr. Smith', 'me@example dot com at 3 p.m., e.g. Dr. Smith'],
    ['**Straße** <b>你好</b> Привет', 'Strasse b /b'],
    ['5½ miles, ¾kg, 1⁄8', '5 1/2 miles, 3/4 kg, 1/8'],
    ['say\u0000\u0007 it', 'say it'],
  ])('converts %j to %j', (text, expected) => expect(englishText(text)).toBe(expected));
});

describe('partsOf', () => {
  it('splits long text after punctuation, or between words', () => {
    const sentence = `${'word '.repeat(40)}end.`;
    expect(partsOf(`${sentence} ${sentence}`)).toEqual([sentence, sentence]);
    const parts = partsOf('word '.repeat(200).trim());
    expect(parts.join(' ')).toBe('word '.repeat(200).trim());
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(300);
    expect(partsOf('x'.repeat(700)).map(({ length }) => length)).toEqual([300, 300, 100]);
  });

  it.each(['', '...', ' - '])('returns no parts for %j', (text) => expect(partsOf(text)).toEqual([]));
});
