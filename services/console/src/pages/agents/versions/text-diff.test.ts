import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textDiff } from './text-diff.ts';

const SIGNS = { same: ' ', added: '+', removed: '-' };

/** `-` removed, `+` added, `…n` n omitted lines; marked words in brackets. */
function shown(before: string, after: string): string[] {
  return textDiff(before, after).map((row) =>
    row.kind === 'gap'
      ? `…${row.lines}`
      : SIGNS[row.kind] + row.parts.map(({ text, isMarked }) => (isMarked ? `[${text}]` : text)).join(''),
  );
}
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

describe('textDiff', () => {
  it('marks the changed words of a line', () => {
    expect(shown('You are Ada, the receptionist.', 'You are Bea, the receptionist.')).toEqual([
      '-You are [Ada], the receptionist.',
      '+You are [Bea], the receptionist.',
    ]);
  });

  it('pairs removed and added lines in order when their numbers differ', () => {
    expect(shown('Ask for the name.', 'Ask for the name and the day.\nCall Ada.')).toEqual([
      '-Ask for the name.',
      '+Ask for the name[ and the day].',
      '+Call Ada.',
    ]);
  });

  it('marks nothing in lines that have little in common', () => {
    expect(shown('Speak softly.', 'You are the night porter of a hotel.')).toEqual([
      '-Speak softly.',
      '+You are the night porter of a hotel.',
    ]);
  });

  it('shows some lines around a change and the number of omitted lines', () => {
    const lines = numbers(1, 20);
    const after = lines.with(9, 'another one');
    expect(shown(lines.join('\n'), after.join('\n'))).toEqual([
      '…6',
      ' line 7',
      ' line 8',
      ' line 9',
      '-line 10',
      '+another one',
      ' line 11',
      ' line 12',
      ' line 13',
      '…7',
    ]);
  });

  it('does not leave out a single line', () => {
    const lines = numbers(1, 4);
    expect(shown(lines.join('\n'), [...lines, 'more'].join('\n'))).toEqual([
      ' line 1',
      ' line 2',
      ' line 3',
      ' line 4',
      '+more',
    ]);
  });

  it('shows an added line break at the end, and removed lines', () => {
    expect(shown('a', 'a\n')).toEqual([' a', '+']);
    expect(shown('a\n\nb', 'b')).toEqual(['-a', '-', ' b']);
  });

  it('shows large texts with nothing in common as removed and added, in short time', () => {
    const [before, after] = [numbers(1, 5000), numbers(5001, 10_000)];
    expect(shown(before.join('\n'), after.join('\n'))).toHaveLength(10_000);
  });

  it('contains every line of both texts, except those counted in gaps', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c d', '', 'e f g')).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const rows = textDiff(before, after);
        const side = (leftOut: string): number =>
          rows.reduce(
            (lines, row) => lines + (row.kind === 'gap' ? row.lines : row.kind === leftOut ? 0 : 1),
            0,
          );
        expect([side('added'), side('removed')]).toEqual([
          before.split('\n').length,
          after.split('\n').length,
        ]);
        const changed = (kind: string): string[] =>
          rows.flatMap((row) =>
            row.kind === kind && row.kind !== 'gap' ? [row.parts.map((part) => part.text).join('')] : [],
          );
        for (const line of changed('removed')) expect(before.split('\n')).toContain(line);
        for (const line of changed('added')) expect(after.split('\n')).toContain(line);
      }),
    );
  });
});
