import { BoundedQueue } from '@calls/foundation/bounded-queue';
import type { AppError } from '@calls/foundation/errors';
import type { ModelOutput } from './messages.ts';

/** Maximum number of unread outputs. A sentence has a few, a transcript has one. */
const MAX_OUTPUTS = 10_000;

/** A job that runs in a model process. */
export class RunningJob {
  /** Resolves to the CPU time of the job when the model is free again, or to null if it failed; never rejects. */
  readonly done: Promise<number | null>;
  readonly #outputs = new BoundedQueue<ModelOutput>(MAX_OUTPUTS, 'drop-newest');
  readonly #onStop: () => void;
  #settleDone: (cpuMs: number | null) => void = () => undefined;
  #failure: AppError | undefined;
  #finished = false;

  constructor(onStop: () => void) {
    this.#onStop = onStop;
    this.done = new Promise((resolve) => {
      this.#settleDone = resolve;
    });
  }

  /** The next output; undefined after the last. Rejects if the job failed. One call at a time. */
  async next(): Promise<ModelOutput | undefined> {
    const taken = await this.#outputs.next();
    if (taken.done !== true) return taken.value;
    if (this.#failure) throw this.#failure;
    return undefined;
  }

  /** Asks the model to stop. No effect if the job is done. */
  stop(): void {
    if (!this.#finished) this.#onStop();
  }

  add(output: ModelOutput): void {
    this.#outputs.push(output);
  }

  finish(cpuMs: number): void {
    this.#end(cpuMs);
  }

  fail(failure: AppError): void {
    this.#failure ??= failure;
    this.#end(null);
  }

  #end(cpuMs: number | null): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#outputs.close();
    this.#settleDone(cpuMs);
  }
}
