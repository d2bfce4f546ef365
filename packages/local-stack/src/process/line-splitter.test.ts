import { describe, expect, it } from '@jest/globals';
import { LineSplitter } from './line-splitter.ts';

describe('LineSplitter', () => {
  const split = (chunks: readonly Buffer[]): string[] => {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    for (const chunk of chunks) splitter.push(chunk);
    splitter.end();
    return lines;
  };

  it('joins lines that are split across chunks, even within a character', () => {
    const bytes = Buffer.from('grüße\nzweite\ndritte');
    const everyCut = Array.from({ length: bytes.length }, (_, cut) =>
      split([bytes.subarray(0, cut), bytes.subarray(cut)]),
    );
    expect(new Set(everyCut.map((lines) => lines.join('|')))).toEqual(new Set(['grüße|zweite|dritte']));
  });

  it('splits a line without end into pieces of bounded length', () => {
    const lines = split(Array.from({ length: 40 }, () => Buffer.alloc(10_000, 'x')));
    expect(lines.join('')).toHaveLength(400_000);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(64 * 1024 + 10_000);
  });
});
