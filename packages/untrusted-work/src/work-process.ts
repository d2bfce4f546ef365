import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { resetPriority } from '@calls/foundation/process-priority';
import type { JobRequest, WorkerMessage } from './serve-jobs.ts';

/** Limit for memory outside the JavaScript heap, such as buffers. */
const MAX_DATA_KIB = 1024 * 1024;
const MAX_HEAP_MIB = 384;
const CHECK_EVERY_MS = 20;

/** With setpriv (util-linux), the kernel ends the process when its parent dies, even in the middle of a job. */
const SHELL = `ulimit -c 0; ulimit -d "$1"; shift
if setpriv --pdeathsig=KILL true 2>/dev/null; then exec setpriv --pdeathsig=KILL -- "$@"; fi
exec "$@"`;
/** Signals with which V8 and the C library end a process that is out of memory. Other signals come from outside. */
const MEMORY_SIGNALS: readonly (NodeJS.Signals | null)[] = [
  'SIGABRT',
  'SIGTRAP',
  'SIGILL',
  'SIGSEGV',
  'SIGBUS',
];
const NODE = [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  '--permission',
  '--allow-fs-read=*',
  `--max-old-space-size=${MAX_HEAP_MIB}`,
  // All CPU time is then spent and measured on one thread.
  '--single-threaded',
];

export interface WorkLimits {
  /** Limit of CPU time. */
  cpuMs: number;
  wallMs: number;
}

export interface ExchangeOptions {
  signal?: AbortSignal | undefined;
  onPiece?: ((piece: unknown) => void) | undefined;
  /** Parts of a large input. */
  chunks?: readonly Uint8Array[] | undefined;
}

/** How an exchange ended without a response. `exited`: not caused by the job. */
export type Overrun = 'exited' | 'out_of_memory' | 'too_long';

/**
 * A process for work with untrusted input. It has a memory limit and no environment, and may not write files, start
 * processes or load addons. One exchange at a time.
 */
export class WorkProcess {
  readonly #child: ChildProcess;
  #exited = false;

  constructor(entry: string) {
    this.#child = spawn('/bin/sh', ['-c', SHELL, 'sh', String(MAX_DATA_KIB), ...NODE, entry], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    // The process would inherit a raised priority of the service.
    resetPriority(this.#child.pid);
    this.#child.once('exit', () => {
      this.#exited = true;
    });
    // A process that is killed may report a broken channel at any time.
    this.#child.on('error', () => undefined);
  }

  get hasExited(): boolean {
    return this.#exited;
  }

  /** Resolves with the final message; `onPiece` receives the ones before. Rejects with the signal's reason. */
  exchange(
    request: JobRequest | null,
    limits: WorkLimits,
    options: ExchangeOptions = {},
  ): Promise<WorkerMessage | Overrun> {
    const child = this.#child;
    const { signal, onPiece, chunks = [] } = options;
    const { promise, resolve, reject } = Promise.withResolvers<WorkerMessage | Overrun>();
    const onMessage = (received: unknown): void => {
      const message = received as WorkerMessage;
      if (message.type === 'piece') onPiece?.(message.piece);
      else resolve(message);
    };
    const onExit = (_code: number | null, signal: NodeJS.Signals | null): void =>
      resolve(request && MEMORY_SIGNALS.includes(signal) ? 'out_of_memory' : 'exited');
    const onError = (): void => {
      // A channel breaks before the exit event, which has the cause.
      if (child.pid === undefined) resolve('exited');
    };
    const onAbort = (): void => reject(signal?.reason as Error);
    const startMs = performance.now();
    const startCpuMs = this.#cpuMs();
    const watch = setInterval(() => {
      const cpuMs = this.#cpuMs() - startCpuMs;
      if (cpuMs > limits.cpuMs || performance.now() - startMs > limits.wallMs) resolve('too_long');
    }, CHECK_EVERY_MS);
    child.on('message', onMessage).once('exit', onExit).on('error', onError);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    else if (this.#exited) resolve('exited');
    else if (request) this.#send(chunks, request).catch(() => resolve('exited'));
    return promise.finally(() => {
      clearInterval(watch);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      signal?.removeEventListener('abort', onAbort);
    });
  }

  /** Rejects if the process has exited. */
  async #send(chunks: readonly Uint8Array[], request: JobRequest): Promise<void> {
    for (const chunk of chunks) {
      this.#child.send({ chunk });
      await setImmediate();
    }
    this.#child.send(request);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /**
   * CPU time of the main thread so far; 0 if the system does not report it, in which case only wall time is limited.
   */
  #cpuMs(): number {
    try {
      const [nanoseconds = ''] = readFileSync(`/proc/${this.#child.pid}/schedstat`, 'latin1').split(' ');
      return Number(nanoseconds) / 1e6;
    } catch {
      return 0;
    }
  }
}
