import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import { withTimeout, type Clock, type Timer } from './clock.ts';
import { toError } from './errors.ts';
import type { Logger } from './logger.ts';

/** A thread that does not respond for this long counts as hung. */
const RESPONSE_LIMIT_MS = 5000;
const START_LIMIT_MS = 120_000;
/** Maximum time for a thread to exit before it is terminated. */
const EXIT_LIMIT_MS = 2000;
/** A check that comes this late means that the whole process was paused. */
const PAUSED_MS = 1000;
const FIRST_RESTART_DELAY_MS = 50;
const LAST_RESTART_DELAY_MS = 10_000;

/**
 * Flags of the process about the young generation are meant for its main thread. V8 reads them whenever a thread starts:
 * each thread would take up to 64 MB for them, and they override its `resourceLimits`.
 */
const V8_DEFAULTS = ['--min-semi-space-size=0', '--max-semi-space-size=0'];

/** The id of a thread that has exited. */
const EXITED = -1;

export interface MonitoredThreadOptions {
  /** Name in logs and errors: `voice activity`. */
  name: string;
  /** Its first message says that it is ready. */
  start: () => Worker;
  /** The first message of each thread. */
  onReady?: (message: unknown) => void;
  /** Each message but the first. */
  onMessage: (message: unknown) => void;
  /**
   * Asks the thread to exit. For threads with native add-ons: if such a thread is terminated while native code runs, the
   * add-on may abort the process. Without it, threads are terminated.
   */
  requestExit?: () => void;
  /** A running thread was lost with its state. A replacement follows. */
  onLost: (err: Error) => void;
  log: Logger;
  clock: Clock;
}

/** A worker thread that is replaced when it exits or hangs. */
export class MonitoredThread implements AsyncDisposable {
  readonly #options: MonitoredThreadOptions;
  #worker: Worker | undefined;
  #ready = false;
  #waitingSinceMs: number | undefined;
  #watchdog: Timer | undefined;
  #restart: Timer | undefined;
  #restartDelayMs = FIRST_RESTART_DELAY_MS;
  #disposed = false;

  private constructor(options: MonitoredThreadOptions) {
    this.#options = options;
  }

  /** Resolves with a ready thread; rejects if it cannot start. */
  static async start(options: MonitoredThreadOptions): Promise<MonitoredThread> {
    const thread = new MonitoredThread(options);
    await thread.#spawn();
    return thread;
  }

  /** False between the exit of a thread and the start of its replacement. */
  get isReady(): boolean {
    return this.#ready;
  }

  /** Transfers an ArrayBuffer, and copies anything else. */
  post(message: object): void {
    this.#worker?.postMessage(message, message instanceof ArrayBuffer ? [message] : []);
  }

  /** Starts the response timeout. */
  expectResponse(): void {
    this.#waitingSinceMs = this.#options.clock.nowMs();
    this.#watchdog ??= this.#watch(RESPONSE_LIMIT_MS);
  }

  /** Stops the response timeout. */
  responded(): void {
    this.#waitingSinceMs = undefined;
    this.#restartDelayMs = FIRST_RESTART_DELAY_MS;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#ready = false;
    this.#watchdog?.cancel();
    this.#restart?.cancel();
    await this.#end();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    const { requestExit, clock } = this.#options;
    if (!worker || worker.threadId === EXITED) return;
    if (requestExit) {
      const exited = once(worker, 'exit');
      requestExit();
      const isExited = await withTimeout(clock, exited, EXIT_LIMIT_MS, 'the exit of a thread').then(
        () => true,
        () => false,
      );
      if (isExited) return;
    }
    await worker.terminate();
  }

  /** Starts a thread; settles when it is ready or has exited. */
  #spawn(): Promise<void> {
    const { name, start, clock, onReady, onMessage } = this.#options;
    for (const flag of V8_DEFAULTS) setFlagsFromString(flag);
    const worker = start();
    this.#worker = worker;
    let failure: Error | undefined;
    worker.on('error', (thrown: unknown) => {
      failure = toError(thrown);
    });
    return new Promise((resolve, reject) => {
      const startLimit = clock.setTimer(START_LIMIT_MS, () => {
        failure = new Error(`the thread was not ready after ${START_LIMIT_MS} ms`);
        void worker.terminate();
      });
      worker.once('message', (first: unknown) => {
        startLimit.cancel();
        this.#ready = !this.#disposed;
        onReady?.(first);
        worker.on('message', (message: unknown) => {
          if (!this.#disposed) onMessage(message);
        });
        resolve();
      });
      worker.on('exit', () => {
        startLimit.cancel();
        const err = new Error(`the ${name} thread ended`, { cause: failure });
        if (this.#ready) this.#lost(err);
        reject(err);
      });
    });
  }

  #lost(err: Error): void {
    const { name, log, onLost } = this.#options;
    this.#ready = false;
    this.#waitingSinceMs = undefined;
    this.#watchdog?.cancel();
    this.#watchdog = undefined;
    log.error({ err }, `${name} thread ended`);
    onLost(err);
    this.#restartLater();
  }

  #restartLater(): void {
    if (this.#disposed) return;
    const { name, log, clock } = this.#options;
    const delayMs = this.#restartDelayMs;
    this.#restartDelayMs = Math.min(LAST_RESTART_DELAY_MS, delayMs * 2);
    this.#restart = clock.setTimer(delayMs, () => {
      this.#spawn().then(
        () => log.info({}, `${name} thread restarted`),
        (err: unknown) => {
          log.error({ err }, `${name} thread did not start`);
          this.#restartLater();
        },
      );
    });
  }

  /** One timer for many responses: it checks how long the current one has been pending. */
  #watch(delayMs: number): Timer {
    const { name, clock, log } = this.#options;
    const dueMs = clock.nowMs() + delayMs;
    return clock.setTimer(delayMs, () => {
      this.#watchdog = undefined;
      if (this.#waitingSinceMs === undefined) return;
      const nowMs = clock.nowMs();
      if (nowMs - dueMs > PAUSED_MS) this.#waitingSinceMs = nowMs;
      const waitedMs = nowMs - this.#waitingSinceMs;
      if (waitedMs < RESPONSE_LIMIT_MS) {
        this.#watchdog = this.#watch(RESPONSE_LIMIT_MS - waitedMs);
        return;
      }
      log.error({ waitedMs }, `${name} thread does not respond; restarting it`);
      void this.#worker?.terminate();
    });
  }
}
