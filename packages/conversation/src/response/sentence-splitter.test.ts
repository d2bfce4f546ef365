import { describe, expect, it } from '@jest/globals';
import { SentenceSplitter, speakable } from './sentence-splitter.ts';

function split(text: string, step = text.length): string[] {
  const splitter = new SentenceSplitter();
  const pieces: string[] = [];
  for (let i = 0; i < text.length; i += step)
    pieces.push(...splitter.push(text.slice(i, i + step)).map((p) => p.spoken));
  pieces.push(...splitter.flush().map((p) => p.spoken));
  return pieces;
}

describe('SentenceSplitter', () => {
  it.each([
    ['Hello there. How are you?', ['Hello there.', 'How are you?']],
    ['It costs 3.50 euros. Fine?', ['It costs 3.50 euros.', 'Fine?']],
    [
      'Dr. Smith lives on St. James St. near here. Yes!',
      ['Dr. Smith lives on St. James St. near here.', 'Yes!'],
    ],
    ['See www.example.com/a.html for more. Bye.', ['See www.example.com/a.html for more.', 'Bye.']],
    ['J. S. Bach wrote it. Listen.', ['J. S. Bach wrote it.', 'Listen.']],
    ['Wir treffen uns z.B. morgen. Gut?', ['Wir treffen uns z.B. morgen.', 'Gut?']],
    ['你好。你今天怎么样？很好！', ['你好。', '你今天怎么样？', '很好！']],
    ['नमस्ते। आप कैसे हैं?', ['नमस्ते।', 'आप कैसे हैं?']],
    ['¿Cómo está? ¡Muy bien! Gracias.', ['¿Cómo está?', '¡Muy bien!', 'Gracias.']],
    ['He said "stop." Then left.', ['He said "stop."', 'Then left.']],
    ['Wait... what? Really?!', ['Wait...', 'what?', 'Really?!']],
    ['First line\nSecond line', ['First line', 'Second line']],
    ['no full stop', ['no full stop']],
    ['', []],
  ])('splits %j', (text, expected) => {
    expect(split(text)).toEqual(expected);
    expect(split(text, 1)).toEqual(expected);
  });

  it('keeps every character of the text in the raw pieces', () => {
    const text = '**Well**, yes. 😀 1. One\n2. Two — and *so* on. ';
    const splitter = new SentenceSplitter();
    const pieces = [...splitter.push(text), ...splitter.flush()];
    expect(pieces.map((p) => p.raw).join('')).toBe(text);
  });

  it('cuts endless text', () => {
    const pieces = split('word '.repeat(500), 7);
    expect(Math.max(...pieces.map((p) => p.length))).toBeLessThanOrEqual(240);
    expect(pieces.join(' ')).toBe('word '.repeat(500).trim());
  });

  it('speaks no markdown and no emoji', () => {
    expect(speakable('## **Big** news 🎉: see [our page](http://x.y/z) and `code`.')).toBe(
      'Big news: see our page and code.',
    );
    expect(speakable('🙂')).toBe('');
    expect(speakable('5 * 3 is 15, and snake_case stays')).toBe('5 3 is 15, and snake_case stays');
  });
});
