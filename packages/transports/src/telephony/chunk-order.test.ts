import { describe, expect, it } from '@jest/globals';
import { ChunkOrder } from './chunk-order.ts';

/** The chunks that each of these chunks releases, 20 ms apart. */
function released(chunks: readonly number[], order = new ChunkOrder()): number[][] {
  return chunks.map((chunk, i) => order.push(chunk, String(chunk), i * 20).map(Number));
}

describe('ChunkOrder', () => {
  it('releases chunks in order immediately', () => {
    expect(released([7, 8, 9])).toEqual([[7], [8], [9]]);
  });

  it('puts late chunks in their place', () => {
    expect(released([1, 3, 2, 4])).toEqual([[1], [], [2, 3], [4]]);
    expect(released([1, 5, 3, 4, 2, 6])).toEqual([[1], [], [], [], [2, 3, 4, 5], [6]]);
    expect(released([1, 4, 2, 3, 6, 5]).flat()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('gives up a missing chunk after three more, and waits again once a chunk is late', () => {
    const order = new ChunkOrder();
    expect(released([1, 3, 4, 5, 6, 8, 9], order)).toEqual([[1], [], [], [], [3, 4, 5, 6], [8], [9]]);
    expect(released([7, 10, 12, 11], order)).toEqual([[7], [10], [], [11, 12]]);
  });

  it('releases waiting chunks after 60 ms', () => {
    const order = new ChunkOrder();
    released([1], order);
    expect(order.push(3, '3', 100)).toEqual([]);
    expect([order.overdue(159), order.overdue(160), order.overdue(260)]).toEqual([[], ['3'], []]);
    expect(order.push(4, '4', 300)).toEqual(['4']);
  });

  it.each([
    ['equal', [5, 5, 5, 5]],
    ['descending', [9, 8, 7, 6]],
    ['restarted', [1000, 1001, 1, 2, 3]],
  ])('drops no chunk if numbers are %s', (_, chunks) => {
    expect(released(chunks)).toEqual(chunks.map((chunk) => [chunk]));
  });
});
