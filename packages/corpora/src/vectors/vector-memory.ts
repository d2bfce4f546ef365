import {
  compileDotProducts,
  createMemory,
  PADDING,
  type DotProducts,
  type WasmMemory,
} from './dot-products.ts';

const PAGE_BYTES = 64 * 1024;
export const BLOCK_BYTES = 1024 * 1024;
const BYTES_PER_NUMBER = 4;
const MIN_VECTOR_BYTES = PADDING * BYTES_PER_NUMBER;
/** The first block holds the results of a block, then the query. */
const RESULTS = 0;
const QUERY = (BLOCK_BYTES / MIN_VECTOR_BYTES) * BYTES_PER_NUMBER;

export const MAX_VECTOR_BYTES = BLOCK_BYTES - QUERY;

/** Length of a vector in a block. */
export function paddedBytes(dimensions: number): number {
  return Math.ceil(dimensions / PADDING) * PADDING * BYTES_PER_NUMBER;
}

/** Memory for vectors, in blocks of one size, which are reused. It grows up to its limit. */
export class VectorMemory {
  readonly maxBlocks: number;
  readonly #memory: WasmMemory;
  readonly #dotProducts: DotProducts;
  readonly #free: number[] = [];
  #blocks = 0;

  constructor(maxBytes: number) {
    this.maxBlocks = Math.max(1, Math.floor(maxBytes / BLOCK_BYTES) - 1);
    const pages = BLOCK_BYTES / PAGE_BYTES;
    this.#memory = createMemory({ initial: pages, maximum: pages * (this.maxBlocks + 1) });
    this.#dotProducts = compileDotProducts(this.#memory);
  }

  /** The address of a block of zeros; null if all are in use. */
  allocate(): number | null {
    const reused = this.#free.pop();
    if (reused !== undefined) {
      new Uint8Array(this.#memory.buffer, reused, BLOCK_BYTES).fill(0);
      return reused;
    }
    if (this.#blocks >= this.maxBlocks) return null;
    this.#memory.grow(BLOCK_BYTES / PAGE_BYTES);
    this.#blocks += 1;
    return this.#blocks * BLOCK_BYTES;
  }

  free(block: number): void {
    this.#free.push(block);
  }

  write(address: number, bytes: Uint8Array): void {
    new Uint8Array(this.#memory.buffer).set(bytes, address);
  }

  /** Dot products of the query and the first `count` vectors of a block. Valid until the next call. */
  dotProducts(query: Float32Array, block: number, count: number): Float32Array {
    const { buffer } = this.#memory;
    const bytes = paddedBytes(query.length);
    const padded = new Float32Array(buffer, QUERY, bytes / BYTES_PER_NUMBER);
    padded.fill(0, query.length);
    padded.set(query);
    this.#dotProducts(QUERY, block, count, bytes, RESULTS);
    return new Float32Array(buffer, RESULTS, count);
  }
}
