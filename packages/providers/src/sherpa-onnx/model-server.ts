import { ProviderError } from '@calls/conversation/ports/provider-error';
import { abortable } from '@calls/foundation/abortable';
import type { Clock } from '@calls/foundation/clock';
import { toError, TimeoutError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { withTimeout } from '@calls/foundation/timeout';
import { acquireSlot } from '../acquire-slot.ts';
import { RestartBudget } from '../restart-budget.ts';
import { Slots } from '../slots.ts';
import type { ModelAnswer, ModelJob, ModelSpec } from './messages.ts';
import { ModelProcess } from './model-process.ts';

export interface ModelServerOptions {
  provider: string;
  /** The model's folder, named in errors. */
  dir: string;
  /** Looks at the folder; throws a ProviderError where it holds no model. */
  describe: () => ModelSpec;
  /** From asking to the first answer, waiting for other jobs included; then from answer to answer. */
  timeoutMs: number;
  loadTimeoutMs: number;
  /** Jobs that may wait; a further one is refused. */
  maxWaiting: number;
  clock: Clock;
  log: Logger;
}

const MAX_STARTS_PER_MINUTE = 5;

/** A model, loaded at the first job and loaded again when its process has ended. Jobs run one after the other. */
export class ModelServer implements AsyncDisposable {
  readonly #options: ModelServerOptions;
  readonly #budget: RestartBudget;
  readonly #slot: Slots;
  #starting: Promise<ModelProcess> | undefined;
  #process: ModelProcess | undefined;
  #lastFault: Error | undefined;
  #disposed = false;

  constructor(options: ModelServerOptions) {
    this.#options = options;
    this.#budget = new RestartBudget(options.clock, MAX_STARTS_PER_MINUTE);
    this.#slot = new Slots(1, options.maxWaiting);
  }

  /** Loads the model now, so that the first job need not wait for it. Rejects with a ProviderError. */
  async load(): Promise<void> {
    await this.#running();
  }

  /** The answers to `job`. Throws the signal's reason as soon as it aborts, otherwise ProviderErrors. */
  async *run(job: ModelJob, signal: AbortSignal): AsyncGenerator<ModelAnswer, void, undefined> {
    const { provider, timeoutMs, clock } = this.#options;
    const model = await abortable(this.#running(), signal);
    const release = await acquireSlot({
      provider,
      slots: this.#slot,
      clock,
      limitMs: timeoutMs,
      signal,
    });
    const running = model.run(job);
    try {
      for (;;) {
        const answer = await this.#inTime(abortable(running.next(), signal));
        if (!answer) return;
        yield answer;
        signal.throwIfAborted();
      }
    } finally {
      running.stop();
      // The model is free for the next job only when it has finished with this one.
      withTimeout(clock, running.done, timeoutMs, 'stopping')
        .catch(() => model.kill())
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
      throw new ProviderError(provider, 'timeout', `no answer within ${timeoutMs} ms`, { cause: thrown });
    }
  }

  /** The process, started where there is none; those who ask meanwhile share the start. */
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
      throw this.#lastFault ?? new ProviderError(provider, 'unavailable', 'the model ended too often');
    }
    try {
      const model = await ModelProcess.start({ ...this.#options, spec });
      this.#process = model;
      this.#lastFault = undefined;
      void model.end.then(() => {
        if (!this.#disposed) log.warn({ provider, dir }, 'speech model process ended');
      });
      return model;
    } catch (thrown) {
      this.#lastFault = toError(thrown);
      log.error({ err: thrown, provider, dir }, 'failed to load speech model');
      throw thrown;
    }
  }
}
