import type { StoredVector, VectorState } from '@calls/store/tables/corpus-vectors';
import { VectorMemory } from './vector-memory.ts';
import { VectorSet, type VectorHit } from './vector-set.ts';

/** Where the vectors of a corpus are stored. */
export interface VectorSource {
  state(corpusId: string, model: string): Promise<VectorState>;
  between(
    corpus: { corpusId: string; model: string },
    range: { afterId: number; lastId: number; limit: number },
  ): Promise<StoredVector[]>;
}

export interface VectorQuery {
  corpusId: string;
  model: string;
  vector: Float32Array;
  limit: number;
}

interface Entry {
  set: VectorSet;
  lastId: number;
  /** Set while vectors are read. */
  reading: Promise<void> | null;
  isDropped: boolean;
}

const ROWS_PER_READ = 1000;
/** If more of the vectors than this were deleted, the corpus is read again. */
const MAX_DELETED_SHARE = 0.2;

/** The vectors of a corpus do not fit into the memory of the cache. */
export class VectorsTooLargeError extends Error {}

/**
 * Vectors of the corpora that were queried last, up to `maxBytes`. Each query first reads what was added since. Deleted
 * vectors may still be found: the caller drops those that no longer exist.
 */
export class VectorCache {
  readonly #source: VectorSource;
  readonly #memory: VectorMemory;
  /** The least recently used one first. */
  readonly #entries = new Map<string, Entry>();

  constructor(source: VectorSource, maxBytes: number) {
    this.#source = source;
    this.#memory = new VectorMemory(maxBytes);
  }

  /** Throws a VectorsTooLargeError, or an error if other corpora needed the memory in the meantime. */
  async nearest({ corpusId, model, vector, limit }: VectorQuery): Promise<VectorHit[]> {
    const state = await this.#source.state(corpusId, model);
    const key = `${corpusId} ${model}`;
    const blocks = VectorSet.blocksFor(state.count, vector.length);
    if (state.count === 0 || blocks > this.#memory.maxBlocks) this.#drop(key);
    if (state.count === 0) return [];
    if (blocks > this.#memory.maxBlocks) throw tooLarge(state.count, vector.length);
    const entry = this.#entryFor(key, vector.length, state);
    while (entry.reading) await entry.reading;
    if (entry.lastId < state.lastId) {
      entry.reading = this.#read(key, entry, { corpusId, model }, state.lastId).finally(() => {
        entry.reading = null;
      });
      await entry.reading;
    }
    requireVectors(entry);
    return entry.set.nearest(vector, limit);
  }

  /** Returns a new entry if too many vectors of the existing one were deleted, or have another length. */
  #entryFor(key: string, dimensions: number, { count }: VectorState): Entry {
    const known = this.#entries.get(key);
    const isMostlyDeleted = known && known.set.size * (1 - MAX_DELETED_SHARE) > count;
    if (known?.set.dimensions === dimensions && (known.reading !== null || !isMostlyDeleted)) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    this.#drop(key);
    const set = new VectorSet(dimensions, this.#memory);
    const entry: Entry = { set, lastId: 0, reading: null, isDropped: false };
    this.#entries.set(key, entry);
    return entry;
  }

  async #read(
    key: string,
    entry: Entry,
    corpus: { corpusId: string; model: string },
    lastId: number,
  ): Promise<void> {
    while (entry.lastId < lastId) {
      const range = { afterId: entry.lastId, lastId, limit: ROWS_PER_READ };
      const rows = await this.#source.between(corpus, range);
      for (const { vector_id, vector } of rows) {
        requireVectors(entry);
        entry.set.add(vector_id, vector, () => this.#allocate(key));
      }
      entry.lastId = rows.length < ROWS_PER_READ ? lastId : (rows.at(-1)?.vector_id ?? lastId);
    }
  }

  /** A block for the corpus `key`: if none is free, from the corpus that was not queried for longest. */
  #allocate(key: string): number {
    for (;;) {
      const block = this.#memory.allocate();
      if (block !== null) return block;
      const oldest = [...this.#entries.keys()].find((other) => other !== key);
      if (oldest === undefined) {
        const entry = this.#entries.get(key);
        throw tooLarge(entry?.set.size ?? 0, entry?.set.dimensions ?? 0);
      }
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.isDropped = true;
    entry.set[Symbol.dispose]();
    this.#entries.delete(key);
  }
}

function requireVectors({ isDropped }: Entry): void {
  if (isDropped) throw new Error('the vectors were evicted from the cache during the query');
}

function tooLarge(count: number, dimensions: number): VectorsTooLargeError {
  return new VectorsTooLargeError(`${count} vectors of ${dimensions} numbers exceed VECTOR_CACHE_MB`);
}
