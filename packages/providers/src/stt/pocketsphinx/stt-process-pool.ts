import { ProviderError } from '@calls/engine-ports/provider-error';
import type { Clock, Timer } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { RestartBudget } from '../../restart-budget.ts';
import { watchForHang } from './hang-watch.ts';
import { LatenessPeak } from './lateness-peak.ts';
import type { SttProcess, SttProcessEnd } from './stt-process.ts';
import { POCKETSPHINX } from './wire.ts';

export interface SttProcessPoolOptions {
  /** Number of processes. */
  processes: number;
  /** Maximum number of waiting utterances; further ones are rejected. */
  maxWaiting: number;
  /**
   * Time limit from request to result, including the wait. A process that works this long without progress is replaced.
   */
  timeoutMs: number;
  start: () => Promise<PooledSttProcess>;
  /** Called with the CPU time of each utterance. */
  onWork?: ((cpuMs: number) => void) | undefined;
  clock: Clock;
  log: Logger;
}

export type PooledSttProcess = Pick<SttProcess, 'isAlive' | 'end' | 'decode' | 'cpuMs' | 'kill'>;

interface Request {
  pcm: Uint8Array;
  askedAtMs: number;
  /** Set while the utterance is being transcribed. */
  worker: Worker | undefined;
  /** Settles the result once; later calls have no effect. */
  settle: (outcome: { text: string } | { err: Error }) => void;
}

/** A slot for an STT process: down, starting, idle or busy. */
interface Worker {
  process: PooledSttProcess | undefined;
  starting: boolean;
  request: Request | undefined;
  /** The process was killed because starting a new one is faster; not an error. */
  givenUp: boolean;
}

const MAX_STARTS_PER_MINUTE = 12;
/** 16 kHz, 16 bit. */
const BYTES_PER_MS = 32;
/** For longer utterances, finishing an abandoned one takes longer than starting a new process. */
const WORTH_KILLING_BYTES = 10_000 * BYTES_PER_MS;

/**
 * STT processes with a shared queue, started at the first use; exited processes are replaced. Utterances abandoned in the
 * queue cost nothing.
 */
export class SttProcessPool implements AsyncDisposable {
  readonly #options: SttProcessPoolOptions;
  readonly #budget: RestartBudget;
  readonly #waiting = new Set<Request>();
  readonly #workers: readonly Worker[];
  readonly #lateness: LatenessPeak;
  #lastError = new ProviderError(POCKETSPHINX, 'unavailable', 'no speech-to-text process is running');
  #isWarm = false;
  #disposed = false;

  constructor(options: SttProcessPoolOptions) {
    this.#options = options;
    this.#budget = new RestartBudget(options.clock, MAX_STARTS_PER_MINUTE);
    this.#lateness = new LatenessPeak(options.clock);
    this.#workers = Array.from({ length: options.processes }, () => ({
      process: undefined,
      starting: false,
      request: undefined,
      givenUp: false,
    }));
  }

  /** Starts the processes, unless this was done before. Loading the model takes about 0.7 s of CPU time each. */
  warmUp(): void {
    if (this.#isWarm) return;
    this.#isWarm = true;
    this.#startMissing();
  }

  /**
   * The recent delay of transcripts beyond the CPU time they take: the time that utterances wait for a process and that
   * processes wait for a CPU.
   */
  get latenessMs(): number {
    const nowMs = this.#options.clock.nowMs();
    const [oldest] = this.#waiting;
    return Math.max(this.#lateness.peakMs, oldest ? nowMs - oldest.askedAtMs : 0);
  }

  /** Transcribes `pcm` (16 kHz), which must not change until this settles. */
  recognise(pcm: Uint8Array, signal: AbortSignal): Promise<string> {
    const { timeoutMs, maxWaiting, clock } = this.#options;
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (this.#disposed) return Promise.reject(closed());
    this.warmUp();
    if (this.#waiting.size >= maxWaiting) {
      return Promise.reject(new ProviderError(POCKETSPHINX, 'refused', 'too many utterances are waiting'));
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#abandon(request, signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      const timer: Timer = clock.setTimer(timeoutMs, () => this.#timedOut(request));
      const request: Request = {
        pcm,
        askedAtMs: clock.nowMs(),
        worker: undefined,
        settle: (outcome) => {
          timer.cancel();
          signal.removeEventListener('abort', onAbort);
          if ('err' in outcome) reject(outcome.err);
          else resolve(outcome.text);
        },
      };
      this.#waiting.add(request);
      this.#dispatch();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#rejectWaiting(closed());
    const processes = this.#workers.flatMap(({ process }) => process ?? []);
    for (const sttProcess of processes) sttProcess.kill();
    await Promise.all(processes.map(({ end }) => end));
  }

  #dispatch(): void {
    for (const worker of this.#workers) {
      const [request] = this.#waiting;
      if (!request) return;
      if (!worker.request && worker.process?.isAlive === true) {
        this.#waiting.delete(request);
        void this.#run(worker, worker.process, request);
      }
    }
    if (this.#waiting.size === 0) return;
    this.#startMissing();
    const hopeless = this.#workers.every(({ process, starting }) => !process && !starting);
    if (hopeless) this.#rejectWaiting(this.#lastError);
  }

  async #run(worker: Worker, sttProcess: PooledSttProcess, request: Request): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    worker.request = request;
    request.worker = worker;
    const hanging = watchForHang({
      cpuMs: () => sttProcess.cpuMs(),
      idleLimitMs: timeoutMs,
      maxCpuMs: maxCpuMs(request.pcm),
      onHanging: () => sttProcess.kill(),
      clock,
    });
    try {
      const { text, cpuMs } = await sttProcess.decode(request.pcm);
      if (cpuMs !== null) {
        this.#lateness.add(clock.nowMs() - request.askedAtMs - cpuMs);
        this.#options.onWork?.(cpuMs);
      }
      request.settle({ text });
    } catch (thrown) {
      request.settle({ err: toError(thrown) });
    }
    hanging.cancel();
    worker.request = undefined;
    this.#dispatch();
  }

  #startMissing(): void {
    for (const worker of this.#workers) {
      if (this.#disposed || worker.process || worker.starting) continue;
      if (worker.givenUp || this.#budget.take()) void this.#start(worker);
    }
  }

  async #start(worker: Worker): Promise<void> {
    worker.starting = true;
    worker.givenUp = false;
    try {
      const sttProcess = await this.#options.start();
      if (this.#disposed) sttProcess.kill();
      worker.process = sttProcess;
      void sttProcess.end.then((end) => this.#ended(worker, end));
    } catch (thrown) {
      this.#failed(asProviderError(thrown));
    }
    worker.starting = false;
    this.#dispatch();
  }

  #ended(worker: Worker, { err, hadWorked }: SttProcessEnd): void {
    worker.process = undefined;
    if (this.#disposed) return;
    if (hadWorked) {
      if (!worker.givenUp) this.#options.log.warn({ err }, 'speech-to-text process ended; restarting');
      this.#lastError = err;
      this.#startMissing();
      this.#dispatch();
    } else {
      this.#failed(err);
    }
  }

  /** A failed start. The next request tries again; waiting requests are rejected if no other process runs. */
  #failed(err: ProviderError): void {
    this.#lastError = err;
    this.#options.log.error({ err }, 'failed to start speech-to-text process');
    if (this.#workers.every(({ process }) => !process)) this.#rejectWaiting(err);
  }

  #rejectWaiting(err: ProviderError): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const request of waiting) request.settle({ err });
  }

  #abandon(request: Request, reason: Error): void {
    this.#waiting.delete(request);
    request.settle({ err: reason });
    if (request.pcm.byteLength < WORTH_KILLING_BYTES) return;
    if (request.worker?.request !== request) return;
    request.worker.givenUp = true;
    request.worker.process?.kill();
  }

  #timedOut(request: Request): void {
    if (this.#waiting.delete(request)) this.#lateness.add(this.#options.timeoutMs);
    const limit = `no words within ${this.#options.timeoutMs} ms`;
    request.settle({ err: new ProviderError(POCKETSPHINX, 'timeout', limit) });
  }
}

/** Several times the expected CPU time of an utterance. */
function maxCpuMs(pcm: Uint8Array): number {
  return 5000 + (3 * pcm.byteLength) / BYTES_PER_MS;
}

function closed(): ProviderError {
  return new ProviderError(POCKETSPHINX, 'unavailable', 'the engine is closed');
}

function asProviderError(thrown: unknown): ProviderError {
  if (thrown instanceof ProviderError) return thrown;
  return new ProviderError(POCKETSPHINX, 'unavailable', 'the speech-to-text process did not start', {
    cause: thrown,
  });
}
