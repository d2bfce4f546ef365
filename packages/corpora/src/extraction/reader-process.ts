import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ReaderMessage, ReadRequest } from './messages.ts';

const ENTRY = fileURLToPath(new URL('./reader-main.ts', import.meta.url));
/** Whatever a file makes its reader do: it gets this much memory, and may write, start and load nothing. */
const MAX_DATA_KIB = 1024 * 1024;
const MAX_HEAP_MIB = 384;

const SHELL = 'ulimit -c 0; ulimit -d "$1"; shift; exec "$@"';
const NODE = [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  '--permission',
  '--allow-fs-read=*',
  `--max-old-space-size=${MAX_HEAP_MIB}`,
  ENTRY,
];

/** A process that reads documents, without our environment. One exchange at a time. */
export class ReaderProcess {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = spawn('/bin/sh', ['-c', SHELL, 'sh', String(MAX_DATA_KIB), ...NODE], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    // A process that is killed may report a broken channel at any time.
    this.#child.on('error', () => undefined);
  }

  /**
   * The next message, after `request` where there is one; `gone` where the process ends before, `late` after `limitMs`.
   * Rejects with the signal's reason.
   */
  next(
    request: ReadRequest | null,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<ReaderMessage | 'gone' | 'late'> {
    const child = this.#child;
    const { promise, resolve, reject } = Promise.withResolvers<ReaderMessage | 'gone' | 'late'>();
    const onMessage = (message: unknown): void => resolve(message as ReaderMessage);
    const onGone = (): void => resolve('gone');
    const onAbort = (): void => reject(signal.reason as Error);
    const limit = setTimeout(() => resolve('late'), limitMs);
    child.once('message', onMessage).once('exit', onGone).once('error', onGone);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    else if (request) child.send(request, (thrown) => thrown && onGone());
    return promise.finally(() => {
      clearTimeout(limit);
      child.off('message', onMessage).off('exit', onGone).off('error', onGone);
      signal.removeEventListener('abort', onAbort);
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
