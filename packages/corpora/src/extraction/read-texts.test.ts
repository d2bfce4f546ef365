import { describe, expect, it } from '@jest/globals';
import { decodeText } from './decode-text.ts';
import { readMarkdown } from './read-markdown.ts';
import { readCsv, readPlainText } from './read-plain-text.ts';

describe('plain texts', () => {
  it('are split into paragraphs', () => {
    expect(readPlainText('One\r\nline.\r\n\r\n \r\n  Two.\n').blocks).toEqual([
      { kind: 'text', text: 'One\nline.' },
      { kind: 'text', text: 'Two.' },
    ]);
  });

  it('are decoded by byte order mark, by declared encoding, as UTF-8, or as windows-1252', () => {
    expect(decodeText(Buffer.from('\ufeffÄh', 'utf8'), 'iso-8859-1')).toBe('Äh');
    expect(decodeText(Buffer.from('\ufeffÄh', 'utf16le'), null)).toBe('Äh');
    expect(decodeText(Buffer.from('Äh', 'latin1'), 'ISO-8859-1')).toBe('Äh');
    expect(decodeText(Buffer.from('Äh', 'latin1'), 'no such encoding')).toBe('Äh');
    expect(decodeText(Buffer.from('Äh', 'utf8'), null)).toBe('Äh');
  });

  it('in UTF-16 are recognized without a byte order mark', () => {
    const texts = ['Breakfast from 7:00, Frühstück ab 7 Uhr.\n', 'Номер стоит сто франков за ночь.', 'A'];
    for (const text of texts) {
      const bytes = Buffer.from(text, 'utf16le');
      expect(decodeText(bytes, null)).toBe(text);
      expect(decodeText(bytes.swap16(), null)).toBe(text);
    }
    expect(decodeText(Buffer.from('a\0b\0\0c'), null)).toBe('a\0b\0\0c');
    expect(decodeText(Buffer.from(`a\0${'b'.repeat(100)}`), null)).toHaveLength(102);
  });

  it('in CSV format have the column names as their heading', () => {
    expect(readCsv('name,price\n\nlamp,4\nchair,9\n').blocks).toEqual([
      { kind: 'heading', level: 1, text: 'name,price' },
      { kind: 'text', text: 'lamp,4\nchair,9' },
    ]);
    expect(readCsv('alone').blocks).toEqual([{ kind: 'text', text: 'alone' }]);
  });
});

describe('Markdown', () => {
  it('is read with its title, and with headings outside of code blocks', () => {
    const { title, blocks } = readMarkdown(
      '---\ntags: x\n---\nIntro.\n\n# Guide #\n```sh\n# no heading\n```\n\n## \n### Deep `one`\nEnd.',
    );
    expect(title).toBe('Guide');
    expect(blocks).toEqual([
      { kind: 'text', text: 'Intro.' },
      { kind: 'heading', level: 1, text: 'Guide' },
      { kind: 'text', text: '```sh\n# no heading\n```' },
      { kind: 'text', text: '##' },
      { kind: 'heading', level: 3, text: 'Deep `one`' },
      { kind: 'text', text: 'End.' },
    ]);
  });
});
