/** What the worker thread is started with. */
export interface SileroThreadData {
  modelPath: string;
  maxBatch: number;
  /** The two batches that go back and forth. */
  batches: readonly [SharedArrayBuffer, SharedArrayBuffer];
  /** The memory of a `RunRequest`. */
  request: SharedArrayBuffer;
}

/** Model's thread → main thread. A thread that can't go on throws instead. */
export type SileroThreadMessage = { type: 'ready' } | { type: 'done' };

export interface BatchToRun {
  batch: 0 | 1;
  /** How many entries of it. */
  count: number;
}

const NUMBER = 0;
const BATCH = 1;
const COUNT = 2;

/**
 * Main thread → model's thread: run a batch. A word in shared memory on which the model's thread sleeps, since that wakes
 * it at half the cost of a message for both. One request at a time; the answer is a `done` message.
 */
export class RunRequest {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(memory = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  send({ batch, count }: BatchToRun): void {
    this.#words[BATCH] = batch;
    this.#words[COUNT] = count;
    Atomics.add(this.#words, NUMBER, 1);
    Atomics.notify(this.#words, NUMBER);
  }

  /** The number of the latest request. */
  current(): number {
    return Atomics.load(this.#words, NUMBER);
  }

  /** Blocks the thread until a request follows request `last`. */
  waitAfter(last: number): BatchToRun {
    Atomics.wait(this.#words, NUMBER, last);
    return { batch: this.#words[BATCH] === 0 ? 0 : 1, count: this.#words[COUNT] ?? 0 };
  }
}
