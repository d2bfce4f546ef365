import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError, toError } from '@calls/foundation';
import type { ReadDocument, ReadReport, ReadRequest } from './messages.ts';

/** A document that no text can be read from, today or tomorrow; the message may be shown to its owner. */
export class UnreadableDocumentError extends AppError {
  constructor(reason: string) {
    super('unreadable_document', reason);
  }
}

export interface DocumentReader extends AsyncDisposable {
  /** One at a time. Throws an UnreadableDocumentError, or the signal's reason. */
  read(request: ReadRequest, signal: AbortSignal): Promise<ReadDocument>;
}

const ENTRY = fileURLToPath(new URL('./reader-main.ts', import.meta.url));
/** Whatever a file makes its reader do: it gets this much memory, this long, and may write, start and load nothing. */
const MAX_DATA_KIB = 1024 * 1024;
const MAX_HEAP_MIB = 384;
const DEFAULT_LIMIT_MS = 20_000;
/** Then a new process takes over: what a reader leaks doesn't add up. */
const READS_PER_PROCESS = 50;

const SHELL = 'ulimit -c 0; ulimit -d "$1"; shift; exec "$@"';

/**
 * Reads documents in a process of its own, which is started with the first one, gets no environment, and is killed when it
 * takes too long.
 */
export function createDocumentReader(options: { limitMs?: number } = {}): DocumentReader {
  const limitMs = options.limitMs ?? DEFAULT_LIMIT_MS;
  let child: ChildProcess | undefined;
  let reads = 0;
  const end = (): void => {
    child?.kill('SIGKILL');
    child = undefined;
    reads = 0;
  };
  return {
    async read(request, signal) {
      signal.throwIfAborted();
      if (reads >= READS_PER_PROCESS) end();
      child ??= start();
      reads += 1;
      const report = await ask(child, request, limitMs, signal).catch((thrown: unknown) => {
        end();
        throw thrown;
      });
      if (!report.ok) throw new UnreadableDocumentError(`the document can't be read: ${report.reason}`);
      if (report.document.chunks.length === 0 && report.document.links.length === 0) {
        throw new UnreadableDocumentError('the document has no text');
      }
      return report.document;
    },
    [Symbol.asyncDispose]() {
      end();
      return Promise.resolve();
    },
  };
}

function start(): ChildProcess {
  const node = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    '--permission',
    '--allow-fs-read=*',
    `--max-old-space-size=${MAX_HEAP_MIB}`,
    ENTRY,
  ];
  return spawn('/bin/sh', ['-c', SHELL, 'sh', String(MAX_DATA_KIB), ...node], {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
}

function ask(
  child: ChildProcess,
  request: ReadRequest,
  limitMs: number,
  signal: AbortSignal,
): Promise<ReadReport> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(limit);
      signal.removeEventListener('abort', onAbort);
      child.removeAllListeners();
      // A process that is killed may still report a broken channel.
      child.on('error', () => undefined);
      finish();
    };
    const fail = (reason: string): void => settle(() => reject(new UnreadableDocumentError(reason)));
    const onAbort = (): void => settle(() => reject(toError(signal.reason)));
    const limit = setTimeout(() => fail(`reading the document took longer than ${limitMs} ms`), limitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('message', (report) => settle(() => resolve(report as ReadReport)));
    child.once('exit', () => fail('reading the document took more memory than it may'));
    child.once('error', (thrown) => settle(() => reject(thrown)));
    child.send(request, (thrown) => {
      if (thrown) fail('reading the document took more memory than it may');
    });
  });
}
