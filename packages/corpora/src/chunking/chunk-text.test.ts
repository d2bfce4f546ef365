import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import type { Block } from '../extraction/extracted-text.ts';
import { chunkText, MAX_CHUNK_TOKENS } from './chunk-text.ts';
import { estimateTokens } from './sentences.ts';

const text = (words: string): Block => ({ kind: 'text', text: words });
const heading = (level: number, words: string): Block => ({ kind: 'heading', level, text: words });
const sentence = (i: number): string =>
  `Sentence number ${i} tells of the ${i}th thing that there is to tell.`;

describe('chunkText', () => {
  it('separates sections and returns the headings above each', () => {
    const blocks = [
      text('Before.'),
      heading(1, 'Guide'),
      heading(2, 'Hours'),
      text('Nine to five.'),
      text('Closed on Sundays.'),
      heading(2, 'Prices'),
      text('Four coins.'),
      heading(1, 'End'),
    ];
    expect(chunkText(blocks, 100)).toEqual([
      { heading: '', content: 'Before.' },
      { heading: 'Guide > Hours', content: 'Nine to five.\n\nClosed on Sundays.' },
      { heading: 'Guide > Prices', content: 'Four coins.' },
      { heading: '', content: 'End' },
    ]);
  });

  it('splits the same text in the same places under any locale of the process', async () => {
    const program = `
      import { sentencesOf } from '${import.meta.resolve('./sentences.ts')}';
      console.log(sentencesOf('Open; from nine. Closed; on Sundays.').length);
    `;
    // In Greek, a semicolon ends a question.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
      { env: { LC_ALL: 'el_GR.UTF-8' } },
    );
    expect(stdout.trim()).toBe('2');
  });

  it('splits between sentences, and begins with the end of the previous passage', () => {
    const sentences = Array.from({ length: 60 }, (_, i) => sentence(i));
    const chunks = chunkText([text(sentences.join(' '))], 100).map(({ content }) => content);
    expect(chunks.length).toBeGreaterThan(2);
    for (const [i, chunk] of chunks.entries()) {
      expect(estimateTokens(chunk)).toBeLessThanOrEqual(MAX_CHUNK_TOKENS);
      expect(chunk).toMatch(/^Sentence .*tell\.$/u);
      const previous = chunks[i - 1];
      if (previous !== undefined) expect(previous).toContain(chunk.split('. ')[0]);
    }
    for (const each of sentences) expect(chunks.some((chunk) => chunk.includes(each))).toBe(true);
  });

  it('joins lines that break within a sentence, and shortens repeated spaces and dashes', () => {
    expect(chunkText([text('The shop\nopens   at nine,\nas ever.\n------------\nEnd.')], 10)).toEqual([
      { heading: '', content: 'The shop opens at nine, as ever.\n---\nEnd.' },
    ]);
  });

  it('stops at the maximum number of passages', () => {
    const blocks = Array.from({ length: 50 }, (_, i) => [heading(1, `H${i}`), text('Words.')]).flat();
    expect(chunkText(blocks, 7)).toHaveLength(7);
  });

  it('returns passages within the size limit for any text, and loses no word', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom(
        'x'.repeat(5000),
        '図書館は午前九時に開きます。'.repeat(80),
        '💡'.repeat(900),
        ' \n\n ',
      ),
      fc.nat({ max: 99 }).map(sentence),
    );
    const block = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((parts) => text(parts.join(' '))),
      fc.record({
        kind: fc.constant('heading' as const),
        level: fc.integer({ min: 1, max: 6 }),
        text: piece,
      }),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), (blocks) => {
        const chunks = chunkText(blocks, 10_000);
        for (const { content } of chunks) {
          expect(content).not.toBe('');
          expect(estimateTokens(content)).toBeLessThanOrEqual(MAX_CHUNK_TOKENS + 1);
        }
        const all = chunks.map(({ content }) => content).join(' ');
        for (const each of blocks)
          if (each.kind === 'text')
            for (const [word] of each.text.matchAll(/number \d+/gu)) expect(all).toContain(word);
      }),
      { numRuns: 200 },
    );
  });
});
