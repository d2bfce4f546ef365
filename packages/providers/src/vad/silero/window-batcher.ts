import { ProviderError } from '@calls/engine-ports/provider-error';
import { QueueFullError } from '@calls/foundation/bounded-queue';
import { BatchBuffer, WINDOW_SAMPLES } from './batch-buffer.ts';
import type { BatchToRun } from './messages.ts';

export const SILERO = 'silero';

/** The state of one call's detector: its slot and its pending windows. */
export interface DetectorState {
  readonly slot: number;
  /** Whether the next window starts with an empty state. */
  mustReset: boolean;
  closed: boolean;
  /** Entries in the batch that is being filled or run. */
  entries: number;
  /** Windows for which the batch has no room yet, oldest first. */
  readonly backlog: WaitingWindow[];
}

interface PendingResult {
  resolve: (probability: number) => void;
  reject: (err: Error) => void;
}

interface WaitingWindow extends PendingResult {
  window: Int16Array;
  fresh: boolean;
}

interface Batch {
  readonly index: 0 | 1;
  readonly buffer: BatchBuffer;
  readonly detectors: DetectorState[];
  readonly results: PendingResult[];
}

/**
 * Collects windows of many calls into batches: one batch is filled while the other runs. A batch may contain several
 * windows of a call, so that a delayed call catches up.
 */
export class WindowBatcher {
  readonly #maxBatch: number;
  readonly #maxPending: number;
  /** Created once: an overloaded thread must not spend its time on stack traces of every window. */
  readonly #tooMany: ProviderError;
  readonly #batches: readonly [Batch, Batch];
  #filling: Batch;
  #running: Batch | undefined;
  readonly #detectors = new Set<DetectorState>();
  readonly #behind = new Set<DetectorState>();
  readonly #freeSlots: number[] = [];
  #slots = 0;

  constructor(options: { maxBatch: number; maxPendingPerDetector: number }) {
    this.#maxBatch = options.maxBatch;
    this.#maxPending = options.maxPendingPerDetector;
    this.#tooMany = new ProviderError(SILERO, 'timeout', 'too many windows are waiting', {
      cause: new QueueFullError(this.#maxPending),
    });
    this.#batches = [emptyBatch(0, options.maxBatch), emptyBatch(1, options.maxBatch)];
    this.#filling = this.#batches[0];
  }

  get memories(): [SharedArrayBuffer, SharedArrayBuffer] {
    return [this.#batches[0].buffer.memory, this.#batches[1].buffer.memory];
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get openDetectors(): number {
    return this.#detectors.size;
  }

  /** Whether the batch that is being filled is full. */
  get isFull(): boolean {
    return this.#filling.results.length === this.#maxBatch;
  }

  get waitingWindows(): number {
    return this.#filling.results.length;
  }

  open(): DetectorState {
    const slot = this.#freeSlots.pop() ?? this.#slots++;
    const detector = { slot, mustReset: true, closed: false, entries: 0, backlog: [] };
    this.#detectors.add(detector);
    return detector;
  }

  /** Copies `window` and resolves with its probability when its batch has run. */
  add(detector: DetectorState, window: Int16Array): Promise<number> {
    if (window.length !== WINDOW_SAMPLES) {
      return Promise.reject(new RangeError(`a window has ${WINDOW_SAMPLES} samples, not ${window.length}`));
    }
    if (detector.entries + detector.backlog.length >= this.#maxPending) return Promise.reject(this.#tooMany);
    const fresh = detector.mustReset;
    detector.mustReset = false;
    return new Promise((resolve, reject) => {
      if (detector.backlog.length === 0 && !this.isFull) {
        this.#enter(detector, window, fresh, { resolve, reject });
      } else {
        detector.backlog.push({ window: window.slice(), fresh, resolve, reject });
        this.#behind.add(detector);
      }
    });
  }

  /** Returns the collected windows to be run. Call it only while no batch runs. */
  start(): BatchToRun {
    const batch = this.#filling;
    this.#running = batch;
    this.#filling = this.#batches[batch.index === 0 ? 1 : 0];
    return { batch: batch.index, count: batch.results.length };
  }

  /** The batch has run: resolves its windows, and moves waiting ones up. */
  finish(): void {
    const batch = this.#running;
    if (!batch) return;
    this.#running = undefined;
    batch.results.forEach((result, entry) => result.resolve(batch.buffer.probabilities[entry] ?? 0));
    this.#empty(batch);
    while (this.#behind.size > 0 && !this.isFull) this.#moveUp();
  }

  /** The model's state is lost: rejects every pending window. */
  fail(err: Error): void {
    this.#running = undefined;
    for (const batch of this.#batches) {
      for (const result of batch.results) result.reject(err);
      this.#empty(batch);
    }
    for (const detector of this.#behind) rejectBacklog(detector, err);
    this.#behind.clear();
    for (const detector of this.#detectors) detector.mustReset = true;
  }

  /** Rejects the detector's pending windows and releases its slot when the model no longer uses it. */
  close(detector: DetectorState, err: Error): void {
    if (detector.closed) return;
    detector.closed = true;
    this.#detectors.delete(detector);
    for (const batch of this.#batches) {
      batch.detectors.forEach((owner, entry) => {
        if (owner === detector) batch.results[entry]?.reject(err);
      });
    }
    rejectBacklog(detector, err);
    this.#behind.delete(detector);
    this.#releaseSlot(detector);
  }

  closeAll(err: Error): void {
    for (const detector of this.#detectors) this.close(detector, err);
  }

  /** Adds one window per waiting detector. */
  #moveUp(): void {
    for (const detector of this.#behind) {
      if (this.isFull) return;
      const next = detector.backlog.shift();
      if (next) this.#enter(detector, next.window, next.fresh, next);
      if (detector.backlog.length === 0) this.#behind.delete(detector);
    }
  }

  #enter(detector: DetectorState, window: Int16Array, fresh: boolean, result: PendingResult): void {
    const { buffer, results, detectors } = this.#filling;
    const entry = results.length;
    buffer.windows.set(window, entry * WINDOW_SAMPLES);
    buffer.slots[entry] = detector.slot;
    buffer.fresh[entry] = fresh ? 1 : 0;
    results.push(result);
    detectors.push(detector);
    detector.entries += 1;
  }

  #empty(batch: Batch): void {
    for (const detector of batch.detectors) {
      detector.entries -= 1;
      if (detector.closed) this.#releaseSlot(detector);
    }
    batch.detectors.length = 0;
    batch.results.length = 0;
  }

  #releaseSlot(detector: DetectorState): void {
    if (detector.entries === 0) this.#freeSlots.push(detector.slot);
  }
}

function emptyBatch(index: 0 | 1, maxBatch: number): Batch {
  return { index, buffer: new BatchBuffer(maxBatch), detectors: [], results: [] };
}

function rejectBacklog(detector: DetectorState, err: Error): void {
  for (const waiting of detector.backlog) waiting.reject(err);
  detector.backlog.length = 0;
}
