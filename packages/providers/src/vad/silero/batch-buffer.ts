import type { VAD_WINDOW_SAMPLES } from '@calls/engine-ports/voice-activity-detector';

/** The window size of the port. A type-only import, so that the model's thread loads little code. */
export const WINDOW_SAMPLES: typeof VAD_WINDOW_SAMPLES = 512;

/**
 * One batch of windows in memory that both threads share. Only the thread that received the last message about it may
 * access it. The main thread fills `windows`, `slots` and `fresh`; the model's thread fills `probabilities`. Entry i
 * has index i in all of them.
 */
export class BatchBuffer {
  readonly memory: SharedArrayBuffer;
  /** 512 samples per entry. */
  readonly windows: Int16Array;
  /** The slot of the call whose state an entry continues. */
  readonly slots: Int32Array;
  readonly probabilities: Float32Array;
  /** 1: the entry starts with an empty state. */
  readonly fresh: Uint8Array;

  constructor(capacity: number, memory?: SharedArrayBuffer) {
    const windowBytes = capacity * WINDOW_SAMPLES * Int16Array.BYTES_PER_ELEMENT;
    this.memory = memory ?? new SharedArrayBuffer(windowBytes + capacity * 9);
    this.windows = new Int16Array(this.memory, 0, capacity * WINDOW_SAMPLES);
    this.slots = new Int32Array(this.memory, windowBytes, capacity);
    this.probabilities = new Float32Array(this.memory, windowBytes + capacity * 4, capacity);
    this.fresh = new Uint8Array(this.memory, windowBytes + capacity * 8, capacity);
  }
}
