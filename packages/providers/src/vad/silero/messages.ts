import type { NetworkForm } from './network/load-network.ts';

/** Start parameters of the worker thread. */
export interface SileroThreadData {
  modelPath: string;
  /** See `SileroOptions`. */
  form?: 'original' | undefined;
  maxBatch: number;
  /** The two batches that are exchanged between the threads. */
  batches: readonly [SharedArrayBuffer, SharedArrayBuffer];
  /** The memory of a `RunRequest`. */
  request: SharedArrayBuffer;
}

/** Model's thread → main thread. The first message is `ready`. A thread that cannot continue throws. */
export type SileroThreadMessage = SileroReady | { type: 'done' };

export interface SileroReady {
  type: 'ready';
  form: NetworkForm;
}

export interface BatchToRun {
  batch: 0 | 1;
  /** Number of entries. */
  count: number;
}

const NUMBER = 0;
const BATCH = 1;
const COUNT = 2;
/** Sent instead of a batch to end the thread. */
const EXIT = -1;

/**
 * Main thread → model's thread: run a batch. The model's thread sleeps on a word in shared memory, because waking it
 * this way costs half of a message. One request at a time; the response is a `done` message.
 */
export class RunRequest {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  /** The number of the last request. */
  #last: number;

  constructor(memory = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
    this.#last = Atomics.load(this.#words, NUMBER);
  }

  send({ batch, count }: BatchToRun): void {
    this.#words[BATCH] = batch;
    this.#words[COUNT] = count;
    this.#wake();
  }

  /** Ends the thread after a batch that may be running. */
  sendExit(): void {
    this.#words[BATCH] = EXIT;
    this.#wake();
  }

  #wake(): void {
    Atomics.add(this.#words, NUMBER, 1);
    Atomics.notify(this.#words, NUMBER);
  }

  /** Blocks the thread until the next request after this object was made; null: exit. */
  next(): BatchToRun | null {
    Atomics.wait(this.#words, NUMBER, this.#last);
    this.#last = Atomics.load(this.#words, NUMBER);
    if (this.#words[BATCH] === EXIT) return null;
    return { batch: this.#words[BATCH] === 0 ? 0 : 1, count: this.#words[COUNT] ?? 0 };
  }
}
