import { Worker } from 'node:worker_threads';
import { ProviderError } from '@calls/conversation';
import { toError, type Clock, type Logger, type Timer } from '@calls/foundation';
import { RunRequest, type BatchToRun, type SileroThreadData, type SileroThreadMessage } from './messages.ts';
import { SILERO } from './window-batcher.ts';

/** A batch takes some 5 ms; a thread that is silent for this long hangs. */
const BATCH_LIMIT_MS = 5000;
const START_LIMIT_MS = 20_000;
const FIRST_RESTART_DELAY_MS = 50;
const LAST_RESTART_DELAY_MS = 10_000;

export type StartWorker = (workerData: SileroThreadData) => Worker;

export const startSileroWorker: StartWorker = (workerData) => {
  // Read when the thread loads the library, which otherwise reports each process and its models to its maker.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  return new Worker(new URL('./silero-thread.ts', import.meta.url), { workerData, name: SILERO });
};

export interface ModelThreadOptions {
  data: Omit<SileroThreadData, 'request'>;
  startWorker: StartWorker;
  log: Logger;
  clock: Clock;
  onDone: () => void;
  /** The thread is gone, and with it the batch it ran and the states it held. Another one will be ready later. */
  onLost: (err: ProviderError) => void;
}

/** The worker thread that runs the model, replaced when it dies or hangs. */
export class ModelThread implements AsyncDisposable {
  readonly #options: ModelThreadOptions;
  readonly #request = new RunRequest();
  #worker: Worker | undefined;
  #ready = false;
  #runningSinceMs: number | undefined;
  #watchdog: Timer | undefined;
  #restart: Timer | undefined;
  #restartDelayMs = FIRST_RESTART_DELAY_MS;
  #disposed = false;

  private constructor(options: ModelThreadOptions) {
    this.#options = options;
  }

  /** Resolves with a thread that has loaded the model; rejects where it can't. */
  static async start(options: ModelThreadOptions): Promise<ModelThread> {
    const thread = new ModelThread(options);
    await thread.#spawn();
    return thread;
  }

  /** False between the death of a thread and the next one's start. */
  get isReady(): boolean {
    return this.#ready;
  }

  /** `onDone` or `onLost` follows. One batch at a time. */
  run(batch: BatchToRun): void {
    this.#runningSinceMs = this.#options.clock.nowMs();
    this.#watchdog ??= this.#watch(BATCH_LIMIT_MS);
    this.#request.send(batch);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#ready = false;
    this.#watchdog?.cancel();
    this.#restart?.cancel();
    await this.#worker?.terminate();
  }

  /** Starts a thread; settles when it is ready, or has ended before it was. */
  #spawn(): Promise<void> {
    const { data, startWorker } = this.#options;
    const worker = startWorker({ ...data, request: this.#request.memory });
    this.#worker = worker;
    let fault: Error | undefined;
    worker.on('error', (thrown: unknown) => {
      fault = toError(thrown);
    });
    return new Promise((resolve, reject) => {
      const startLimit = this.#options.clock.setTimer(START_LIMIT_MS, () => {
        fault = new Error(`the thread was not ready after ${START_LIMIT_MS} ms`);
        void worker.terminate();
      });
      worker.on('message', (message: SileroThreadMessage) => {
        if (message.type === 'done') {
          this.#finished();
        } else {
          startLimit.cancel();
          this.#ready = !this.#disposed;
          resolve();
        }
      });
      worker.on('exit', () => {
        startLimit.cancel();
        const err = new ProviderError(SILERO, 'unavailable', "the model's thread ended", { cause: fault });
        if (this.#ready) this.#lost(err);
        reject(err);
      });
    });
  }

  #finished(): void {
    this.#runningSinceMs = undefined;
    this.#restartDelayMs = FIRST_RESTART_DELAY_MS;
    if (!this.#disposed) this.#options.onDone();
  }

  #lost(err: ProviderError): void {
    this.#ready = false;
    this.#runningSinceMs = undefined;
    this.#watchdog?.cancel();
    this.#watchdog = undefined;
    this.#options.log.error({ err }, 'voice activity thread ended');
    this.#options.onLost(err);
    this.#restartLater();
  }

  #restartLater(): void {
    if (this.#disposed) return;
    const delayMs = this.#restartDelayMs;
    this.#restartDelayMs = Math.min(LAST_RESTART_DELAY_MS, delayMs * 2);
    this.#restart = this.#options.clock.setTimer(delayMs, () => {
      this.#spawn().then(
        () => this.#options.log.info({}, 'voice activity thread restarted'),
        (err: unknown) => {
          this.#options.log.error({ err }, 'voice activity thread did not start');
          this.#restartLater();
        },
      );
    });
  }

  /** One timer over many batches: it looks when the batch of the moment began. */
  #watch(delayMs: number): Timer {
    const { clock, log } = this.#options;
    return clock.setTimer(delayMs, () => {
      this.#watchdog = undefined;
      if (this.#runningSinceMs === undefined) return;
      const ranMs = clock.nowMs() - this.#runningSinceMs;
      if (ranMs < BATCH_LIMIT_MS) {
        this.#watchdog = this.#watch(BATCH_LIMIT_MS - ranMs);
        return;
      }
      log.error({ ranMs }, 'voice activity thread hangs');
      void this.#worker?.terminate();
    });
  }
}
