import { BLOCK_BYTES, MAX_VECTOR_BYTES, paddedBytes, type VectorMemory } from './vector-memory.ts';

const BYTES_PER_NUMBER = 4;

export interface VectorHit {
  id: number;
  /** The dot product: for vectors of unit length, the cosine of their angle. */
  similarity: number;
}

/** Vectors of one length, in blocks of a memory. */
export class VectorSet implements Disposable {
  readonly dimensions: number;
  readonly #memory: VectorMemory;
  readonly #vectorBytes: number;
  readonly #perBlock: number;
  #blocks: { address: number; ids: Float64Array }[] = [];
  #size = 0;

  constructor(dimensions: number, memory: VectorMemory) {
    this.dimensions = dimensions;
    this.#memory = memory;
    this.#vectorBytes = paddedBytes(dimensions);
    this.#perBlock = Math.floor(BLOCK_BYTES / this.#vectorBytes);
    if (this.#vectorBytes > MAX_VECTOR_BYTES) throw new RangeError(`vectors of ${dimensions} numbers`);
  }

  get size(): number {
    return this.#size;
  }

  /** Blocks of a set with `size` vectors. */
  static blocksFor(size: number, dimensions: number): number {
    return Math.ceil(size / Math.floor(BLOCK_BYTES / paddedBytes(dimensions)));
  }

  /**
   * `bytes`: 32-bit floats, little-endian; a vector of another length is ignored. `allocate` is called for a further
   * block.
   */
  add(id: number, bytes: Uint8Array, allocate: () => number): void {
    if (bytes.byteLength !== this.dimensions * BYTES_PER_NUMBER) return;
    const row = this.#size % this.#perBlock;
    if (row === 0) this.#blocks.push({ address: allocate(), ids: new Float64Array(this.#perBlock) });
    const block = this.#blocks.at(-1);
    if (!block) return;
    block.ids[row] = id;
    this.#memory.write(block.address + row * this.#vectorBytes, bytes);
    this.#size += 1;
  }

  /** The `limit` most similar vectors, most similar first. Compares with all, so the result is exact. */
  nearest(query: Float32Array, limit: number): VectorHit[] {
    const best: VectorHit[] = [];
    let threshold = -Infinity;
    for (const [index, { address, ids }] of this.#blocks.entries()) {
      const count = Math.min(this.#perBlock, this.#size - index * this.#perBlock);
      const similarities = this.#memory.dotProducts(query, address, count);
      for (let row = 0; row < count; row += 1) {
        const similarity = similarities[row] ?? 0;
        if (similarity <= threshold && best.length >= limit) continue;
        insert(best, { id: ids[row] ?? 0, similarity });
        if (best.length > limit) best.pop();
        threshold = best.at(-1)?.similarity ?? -Infinity;
      }
    }
    return best;
  }

  /** Empties the set and frees its blocks. */
  [Symbol.dispose](): void {
    for (const { address } of this.#blocks) this.#memory.free(address);
    this.#blocks = [];
    this.#size = 0;
  }
}

/** Inserts into a list that is sorted by similarity, after equal hits. */
function insert(best: VectorHit[], hit: VectorHit): void {
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((best[middle]?.similarity ?? 0) >= hit.similarity) low = middle + 1;
    else high = middle;
  }
  best.splice(low, 0, hit);
}
