import { describe, expect, it } from '@jest/globals';
import { WholeChunks } from './whole-chunks.ts';

const counting = (from: number, length: number): Int16Array =>
  Int16Array.from({ length }, (_, i) => from + i);

describe('WholeChunks', () => {
  it('returns all samples in order, in multiples of a chunk', () => {
    const chunks = new WholeChunks(16);
    const out: number[] = [];
    let written = 0;
    for (const length of [1, 15, 16, 17, 40, 0, 3, 160]) {
      const whole = chunks.push(counting(written, length));
      expect(whole.length % 16).toBe(0);
      out.push(...whole);
      written += length;
    }
    expect(chunks.waitingSamples).toBe(written % 16);
    const last = chunks.flush();
    out.push(...last);
    expect(out.slice(0, written)).toEqual([...counting(0, written)]);
    expect(out.slice(written)).toEqual(Array(16 - (written % 16)).fill(0));
    expect(chunks.waitingSamples).toBe(0);
    expect(chunks.flush()).toHaveLength(0);
  });

  it('retains no written array, and drops the remainder on request', () => {
    const chunks = new WholeChunks(4);
    const reused = counting(1, 2);
    expect(chunks.push(reused)).toHaveLength(0);
    reused.fill(9);
    expect([...chunks.push(counting(3, 2))]).toEqual([1, 2, 3, 4]);
    chunks.push(counting(1, 3));
    chunks.drop();
    expect(chunks.flush()).toHaveLength(0);
  });
});
