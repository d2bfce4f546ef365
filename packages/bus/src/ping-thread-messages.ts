/** Start parameters of the ping thread. */
export interface PingThreadData {
  url: string;
  /** Name of its connection. */
  name: string;
  subject: string;
  beat: SharedArrayBuffer;
}

/** When the main thread ran last, in shared memory. */
export class MainHeartbeat {
  readonly memory: SharedArrayBuffer;
  readonly #word: Int32Array;

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#word = new Int32Array(memory);
  }

  beat(): void {
    Atomics.store(this.#word, 0, processMs());
  }

  get ageMs(): number {
    return (processMs() - Atomics.load(this.#word, 0)) | 0;
  }
}

/** The process's monotonic clock, the same in all threads; wraps at 32 bits. */
function processMs(): number {
  return Number(BigInt.asIntN(32, process.hrtime.bigint() / 1_000_000n));
}
