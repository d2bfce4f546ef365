import type { VAD_WINDOW_SAMPLES } from '@calls/conversation/ports/voice-activity-detector';

/** The port's window. A type-only import: the model's thread loads no more than it needs. */
export const WINDOW_SAMPLES: typeof VAD_WINDOW_SAMPLES = 512;

/**
 * One batch of windows, in memory shared by both threads. Only the thread that received the last message about it may use it. The
 * main thread fills `windows`, `slots` and `fresh`, the model's thread fills `probabilities`; entry i is at index i in all.
 */
export class BatchBuffer {
  readonly memory: SharedArrayBuffer;
  readonly capacity: number;
  /** 512 samples per entry. */
  readonly windows: Int16Array;
  /** Which call's state an entry continues; the entries of one slot continue each other. */
  readonly slots: Int32Array;
  readonly probabilities: Float32Array;
  /** 1: the entry begins with an empty state. */
  readonly fresh: Uint8Array;

  constructor(capacity: number, memory?: SharedArrayBuffer) {
    const windowBytes = capacity * WINDOW_SAMPLES * Int16Array.BYTES_PER_ELEMENT;
    this.capacity = capacity;
    this.memory = memory ?? new SharedArrayBuffer(windowBytes + capacity * 9);
    this.windows = new Int16Array(this.memory, 0, capacity * WINDOW_SAMPLES);
    this.slots = new Int32Array(this.memory, windowBytes, capacity);
    this.probabilities = new Float32Array(this.memory, windowBytes + capacity * 4, capacity);
    this.fresh = new Uint8Array(this.memory, windowBytes + capacity * 8, capacity);
  }
}
