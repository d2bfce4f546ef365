import { ProviderError } from '@calls/engine-ports/provider-error';
import { abortable, withTimeout, type Clock } from '@calls/foundation/clock';
import { toError, TimeoutError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { acquireSlot } from '../acquire-slot.ts';
import { RestartBudget } from '../restart-budget.ts';
import { Slots } from '../slots.ts';
import { LatenessPeak } from './lateness-peak.ts';
import type { ModelOutput, ModelJob, ModelSpec } from './messages.ts';
import { ModelProcess } from './model-process.ts';
import type { RunningJob } from './running-job.ts';

export interface ModelServerOptions {
  provider: string;
  /** The model's folder, for errors. */
  dir: string;
  /** Inspects the folder; throws a ProviderError if it contains no model. */
  describe: () => ModelSpec;
  /** Time limit from the request to the first answer, including the wait for other jobs, and then between answers. */
  timeoutMs: number;
  /** Default MAX_WAITING. */
  maxWaiting?: number | undefined;
  /** Called with the CPU time of each job. */
  onWork?: ((cpuMs: number) => void) | undefined;
  clock: Clock;
  log: Logger;
}

const MAX_STARTS_PER_MINUTE = 5;
/** Maximum number of waiting jobs; further ones are rejected. */
const MAX_WAITING = 100;

/** Lateness of jobs from which on the model or the processors count as busy. */
const BUSY_LATENESS_MS = 50;

/** A model that is loaded for the first job and reloaded after its process has ended. Jobs run one at a time. */
export class ModelServer implements AsyncDisposable {
  readonly #options: ModelServerOptions;
  readonly #budget: RestartBudget;
  readonly #slot: Slots;
  readonly #lateness: LatenessPeak;
  /** Requests without their last answer, the oldest first. */
  readonly #requests = new Set<{ atMs: number }>();
  #starting: Promise<ModelProcess> | undefined;
  #process: ModelProcess | undefined;
  #lastError: Error | undefined;
  #disposed = false;

  constructor(options: ModelServerOptions) {
    this.#options = options;
    this.#budget = new RestartBudget(options.clock, MAX_STARTS_PER_MINUTE);
    this.#slot = new Slots(1, options.maxWaiting ?? MAX_WAITING);
    this.#lateness = new LatenessPeak(options.clock);
  }

  /** Loads the model in advance. Rejects with a ProviderError. */
  async load(): Promise<void> {
    await this.#running();
  }

  /**
   * The recent delay of answers beyond the CPU time that they take: the time that jobs wait for the model, and that the
   * model waits for a CPU. Includes all of the time that the oldest job has taken so far.
   */
  get latenessMs(): number {
    const [oldest] = this.#requests;
    return Math.max(this.#lateness.peakMs, oldest ? this.#options.clock.nowMs() - oldest.atMs : 0);
  }

  /** Whether the model is loaded, no job is running or waiting, and none was late in the last seconds. */
  get isIdle(): boolean {
    return this.#process?.isAlive === true && this.#requests.size === 0 && this.latenessMs < BUSY_LATENESS_MS;
  }

  /** The responses to `job`. Throws the signal's reason on abort, and otherwise ProviderErrors. */
  async *run(job: ModelJob, signal: AbortSignal): AsyncGenerator<ModelOutput, void, undefined> {
    const { clock } = this.#options;
    const request = { atMs: clock.nowMs() };
    this.#requests.add(request);
    try {
      yield* this.#outputs(job, request.atMs, signal);
    } catch (thrown) {
      if (thrown instanceof ProviderError && thrown.kind === 'timeout')
        this.#lateness.add(clock.nowMs() - request.atMs);
      throw thrown;
    } finally {
      this.#requests.delete(request);
    }
  }

  async *#outputs(
    job: ModelJob,
    requestedMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<ModelOutput, void, undefined> {
    const { provider, timeoutMs, clock, onWork } = this.#options;
    await abortable(this.#running(), signal);
    const release = await acquireSlot({ provider, slots: this.#slot, clock, limitMs: timeoutMs, signal });
    let running: RunningJob | undefined;
    try {
      // The process may have ended during the wait.
      const model = await abortable(this.#running(), signal);
      running = model.run(job);
      void running.done.then((cpuMs) => {
        if (cpuMs === null) return;
        this.#lateness.add(clock.nowMs() - requestedMs - cpuMs);
        onWork?.(cpuMs);
      });
      for (;;) {
        const output = await this.#inTime(abortable(running.next(), signal));
        if (!output) return;
        yield output;
        signal.throwIfAborted();
      }
    } finally {
      running?.stop();
      // The model accepts the next job only when this one is done.
      withTimeout(clock, running?.done ?? Promise.resolve(null), timeoutMs, 'stopping')
        .catch(() => this.#process?.kill())
        .finally(release);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const starting = this.#starting?.then(
      (model) => model[Symbol.asyncDispose](),
      () => undefined,
    );
    await this.#process?.[Symbol.asyncDispose]();
    await starting;
  }

  async #inTime<T>(promise: Promise<T>): Promise<T> {
    const { provider, timeoutMs, clock } = this.#options;
    try {
      return await withTimeout(clock, promise, timeoutMs, 'the model');
    } catch (thrown) {
      if (!(thrown instanceof TimeoutError)) throw thrown;
      throw new ProviderError(provider, 'timeout', `no response within ${timeoutMs} ms`, { cause: thrown });
    }
  }

  /** The model's process; concurrent callers share its start. */
  #running(): Promise<ModelProcess> {
    if (this.#process?.isAlive === true) return Promise.resolve(this.#process);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<ModelProcess> {
    const { provider, dir, describe, log } = this.#options;
    if (this.#disposed) throw new ProviderError(provider, 'unavailable', 'the engine is closed');
    const spec = describe();
    if (!this.#budget.take()) {
      throw (
        this.#lastError ?? new ProviderError(provider, 'unavailable', 'the model process ended too often')
      );
    }
    try {
      const model = await ModelProcess.start({ ...this.#options, spec });
      this.#process = model;
      this.#lastError = undefined;
      void model.end.then(() => {
        if (!this.#disposed) log.warn({ provider, dir }, 'speech model process ended');
      });
      return model;
    } catch (thrown) {
      this.#lastError = toError(thrown);
      log.error({ err: thrown, provider, dir }, 'failed to load speech model');
      throw thrown;
    }
  }
}
