import { toError, type Logger } from '@calls/foundation';
import { FairQueue } from './fair-queue.ts';
import type { WorkerMessage } from './messages.ts';
import type { Jobs } from './serve-jobs.ts';
import { WorkRefusedError, WorkTooExpensiveError, WorkUnavailableError } from './work-error.ts';
import { WorkProcess, type Overrun, type WorkLimits } from './work-process.ts';

export interface WorkPoolOptions {
  /** The program of its processes, which calls `serveJobs`. */
  entry: string;
  /** Processes at most. One owner has at most one fewer running, where there is more than one. */
  size: number;
  /** Started before the first job. Others start when they are needed. */
  warm?: number;
  limits: WorkLimits;
  /** Then a new process takes over: what a library leaks doesn't add up. */
  jobsPerProcess?: number;
  log: Logger;
}

export interface RunOptions {
  /** Whose input it is: owners take turns. */
  owner: string;
  signal?: AbortSignal | undefined;
  onPiece?: (piece: unknown) => void;
  /** Parts of a large input, which the job gets besides its input. */
  chunks?: readonly Uint8Array[];
}

interface Task {
  kind: string;
  input: unknown;
  options: RunOptions;
  resolve: (output: unknown) => void;
  reject: (err: Error) => void;
}

interface Slot {
  process: WorkProcess;
  ready: Promise<WorkerMessage | Overrun>;
  jobs: number;
  isBusy: boolean;
}

const QUEUE_LIMITS = { total: 512, perOwner: 128 };
const START_LIMITS: WorkLimits = { cpuMs: 15_000, wallMs: 30_000 };
const JOBS_PER_PROCESS = 10_000;

type InputOf<J extends Jobs, K extends keyof J> = Parameters<J[K]>[0];
type OutputOf<J extends Jobs, K extends keyof J> = Awaited<ReturnType<J[K]>>;

/**
 * A few processes for work with untrusted input. A job that takes more than its limits costs its process, which is
 * replaced, and nothing else. Jobs beyond the queue's capacity are rejected.
 */
export class WorkPool<J extends Jobs> implements AsyncDisposable {
  readonly #options: WorkPoolOptions;
  readonly #queue = new FairQueue<Task>(QUEUE_LIMITS);
  readonly #running = new Map<string, number>();
  #slots: Slot[] = [];
  #disposed = false;

  constructor(options: WorkPoolOptions) {
    this.#options = options;
    for (let started = 0; started < (options.warm ?? 0); started += 1) this.#start();
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
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const task: Task = { kind, input, options, resolve, reject };
    if (this.#disposed) reject(new WorkUnavailableError('the service stops'));
    else if (!this.#queue.push(options.owner, task)) reject(new WorkUnavailableError('too many jobs wait'));
    else this.#assign();
    return promise as Promise<OutputOf<J, K>>;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    for (const task of this.#queue.drain()) task.reject(new WorkUnavailableError('the service stops'));
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
      this.#perform(idle ?? this.#start(), next.owner, next.item);
    }
  }

  #start(): Slot {
    const workProcess = new WorkProcess(this.#options.entry);
    const ready = workProcess.exchange(null, START_LIMITS);
    const slot = { process: workProcess, ready, jobs: 0, isBusy: false };
    this.#slots.push(slot);
    return slot;
  }

  #perform(slot: Slot, owner: string, task: Task): void {
    slot.isBusy = true;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
    const finished = this.#outcome(slot, task).then(task.resolve, (thrown: unknown) => {
      if (!(thrown instanceof WorkRefusedError)) this.#end(slot);
      task.reject(toError(thrown));
    });
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

  async #outcome(slot: Slot, { kind, input, options }: Task): Promise<unknown> {
    const { log, limits } = this.#options;
    const { signal, onPiece, chunks, owner } = options;
    signal?.throwIfAborted();
    const started = await slot.ready;
    if (typeof started === 'string') {
      log.error({ kind, started }, 'worker process did not start');
      throw new WorkUnavailableError('a worker process did not start');
    }
    const message = await slot.process.exchange({ kind, input }, limits, {
      signal,
      onPiece,
      chunks,
    });
    if (typeof message === 'string') {
      if (this.#disposed) throw new WorkUnavailableError('the service stops');
      log.warn({ kind, owner, overrun: message }, 'job with untrusted input took too much; process replaced');
      throw new WorkTooExpensiveError(message === 'exited' ? 'memory' : 'time');
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
