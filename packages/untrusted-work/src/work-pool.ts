import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { FairQueue, type QueueLimits } from './fair-queue.ts';
import type { Jobs, WorkerMessage } from './serve-jobs.ts';
import { WorkRefusedError, WorkTooExpensiveError, WorkUnavailableError } from './work-error.ts';
import { WorkProcess, type Overrun, type WorkLimits } from './work-process.ts';

export interface PoolLimits extends WorkLimits {
  /** How long a job may wait for a process. */
  queueMs: number;
}

export interface WorkPoolOptions {
  /** The program of the processes, which calls `serveJobs`. */
  entry: string;
  /** Maximum number of processes, which start on demand. If there are several, one owner may use all but one. */
  size: number;
  limits: PoolLimits;
  /** After this many jobs a process is replaced, so that leaks do not accumulate. */
  jobsPerProcess?: number;
  log: Logger;
}

export interface RunOptions {
  /** Owner of the input. Owners take turns. */
  owner: string;
  signal?: AbortSignal | undefined;
  onPiece?: (piece: unknown) => void;
  /** Parts of a large input, in addition to `input`. */
  chunks?: readonly Uint8Array[];
}

interface Task {
  kind: string;
  input: unknown;
  options: RunOptions;
  resolve: (output: unknown) => void;
  reject: (err: Error) => void;
  /** Size of its chunks, which stay in memory while it waits. */
  bytes: number;
}

interface Slot {
  process: WorkProcess;
  ready: Promise<WorkerMessage | Overrun>;
  jobs: number;
  isBusy: boolean;
}

const MEBIBYTE = 1024 * 1024;
const QUEUE_LIMITS: QueueLimits = {
  items: { total: 512, perOwner: 128 },
  bytes: { total: 256 * MEBIBYTE, perOwner: 64 * MEBIBYTE },
};
const START_LIMITS: WorkLimits = { cpuMs: 15_000, wallMs: 120_000 };
const JOBS_PER_PROCESS = 10_000;

type InputOf<J extends Jobs, K extends keyof J> = Parameters<J[K]>[0];
type OutputOf<J extends Jobs, K extends keyof J> = Awaited<ReturnType<J[K]>>;

/**
 * Processes for untrusted input. A job that exceeds its limits only ends its process, which is replaced. Jobs beyond
 * the queue's capacity are rejected.
 */
export class WorkPool<J extends Jobs> implements AsyncDisposable {
  readonly #options: WorkPoolOptions;
  readonly #queue = new FairQueue<Task>(QUEUE_LIMITS);
  readonly #running = new Map<string, number>();
  #slots: Slot[] = [];
  #disposed = false;

  constructor(options: WorkPoolOptions) {
    this.#options = options;
  }

  /**
   * Rejects with a WorkTooExpensiveError, a WorkUnavailableError, the signal's reason, or a WorkRefusedError with the code
   * and message of the AppError that the job threw.
   */
  run<K extends keyof J & string>(
    kind: K,
    input: InputOf<J, K>,
    options: RunOptions,
  ): Promise<OutputOf<J, K>> {
    const { owner, signal, chunks = [] } = options;
    if (this.#disposed) return Promise.reject(new WorkUnavailableError('the service is stopping'));
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    const task: Task = { kind, input, options, resolve, reject, bytes };
    const onAbort = (): void => {
      this.#queue.remove(owner, task);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      if (this.#queue.remove(owner, task)) reject(new WorkUnavailableError('the job waited too long'));
    }, this.#options.limits.queueMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    for (const evicted of this.#queue.push(owner, task)) {
      evicted.reject(new WorkUnavailableError('too many jobs are waiting'));
    }
    this.#assign();
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }) as Promise<OutputOf<J, K>>;
  }

  /** Starts a process if there is none, so that the next job does not wait for its start. */
  prepare(): void {
    this.#slots = this.#slots.filter((slot) => slot.isBusy || !slot.process.hasExited);
    if (!this.#disposed && this.#slots.length === 0) this.#start();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    for (const task of this.#queue.drain()) task.reject(new WorkUnavailableError('the service is stopping'));
    for (const slot of this.#slots) slot.process.kill();
    this.#slots = [];
    return Promise.resolve();
  }

  #assign(): void {
    const perOwner = Math.max(1, this.#options.size - 1);
    while (!this.#disposed) {
      this.#slots = this.#slots.filter((slot) => slot.isBusy || !slot.process.hasExited);
      const idle = this.#slots.find((slot) => !slot.isBusy);
      if (!idle && this.#slots.length >= this.#options.size) return;
      const next = this.#queue.take((owner) => (this.#running.get(owner) ?? 0) < perOwner);
      if (!next) return;
      const slot = idle ?? this.#start();
      if (slot) this.#perform(slot, next.owner, next.item);
      else next.item.reject(new WorkUnavailableError('a worker process could not be started'));
    }
  }

  /** Null if the process cannot be spawned. */
  #start(): Slot | null {
    try {
      const workProcess = new WorkProcess(this.#options.entry);
      const ready = workProcess.exchange(null, START_LIMITS);
      const slot = { process: workProcess, ready, jobs: 0, isBusy: false };
      this.#slots.push(slot);
      return slot;
    } catch (thrown) {
      this.#options.log.error({ err: toError(thrown) }, 'failed to start worker process');
      return null;
    }
  }

  #perform(slot: Slot, owner: string, task: Task): void {
    slot.isBusy = true;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
    const finished = this.#outcome(slot, task).then(task.resolve, task.reject);
    void finished.then(() => {
      const left = (this.#running.get(owner) ?? 1) - 1;
      if (left > 0) this.#running.set(owner, left);
      else this.#running.delete(owner);
      slot.isBusy = false;
      slot.jobs += 1;
      if (slot.jobs >= (this.#options.jobsPerProcess ?? JOBS_PER_PROCESS)) this.#end(slot);
      this.#assign();
    });
  }

  async #outcome(slot: Slot, task: Task): Promise<unknown> {
    const { signal } = task.options;
    const started = await slot.ready;
    if (typeof started === 'string') {
      this.#end(slot);
      if (this.#disposed) throw new WorkUnavailableError('the service is stopping');
      this.#options.log.error({ kind: task.kind, started }, 'worker process did not start');
      throw new WorkUnavailableError('a worker process did not start');
    }
    // Nothing was sent, so the process can be reused.
    signal?.throwIfAborted();
    let keepsProcess = false;
    try {
      const output = await this.#exchange(slot, task);
      keepsProcess = true;
      return output;
    } catch (thrown) {
      keepsProcess = thrown instanceof WorkRefusedError;
      throw thrown;
    } finally {
      if (!keepsProcess) this.#end(slot);
    }
  }

  async #exchange(slot: Slot, { kind, input, options }: Task): Promise<unknown> {
    const { log, limits } = this.#options;
    const { owner } = options;
    const message = await slot.process.exchange({ kind, input }, limits, options);
    if (typeof message === 'string') {
      if (this.#disposed) throw new WorkUnavailableError('the service is stopping');
      log.warn({ kind, owner, overrun: message }, 'worker process ended without a result; replaced');
      if (message === 'exited') throw new WorkUnavailableError('the worker process was ended');
      throw new WorkTooExpensiveError(message === 'out_of_memory' ? 'memory' : 'time');
    }
    if (message.type === 'done') return message.output;
    if (message.type === 'failed' && message.code !== null) {
      throw new WorkRefusedError(message.code, message.message);
    }
    log.error({ kind, owner, pii: { message } }, 'job with untrusted input failed');
    throw new WorkUnavailableError('a worker process failed');
  }

  #end(slot: Slot): void {
    slot.process.kill();
    this.#slots = this.#slots.filter((each) => each !== slot);
  }
}
