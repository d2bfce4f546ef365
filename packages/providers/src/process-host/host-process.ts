import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { openUnlinkedFile } from '../unlinked-file.ts';
import { WINDOW_BYTES, type HostReport, type HostRequest, type ProcessEnd } from './messages.ts';

// Entry of the host process: runs commands for its parent process, and exits with all its children when the parent exits.

const STDERR_TAIL_CHARS = 500;

type RunRequest = Extract<HostRequest, { type: 'run' }>;

interface Running {
  child?: ChildProcessByStdio<Writable, Readable | null, Readable>;
  /** Its standard output: a pipe, or the file after the process has ended. */
  output?: Readable;
  /** Bytes sent but not acknowledged. */
  unreadBytes: number;
  isKilled: boolean;
}

const running = new Map<number, Running>();

function report(message: HostReport): void {
  // The callback ignores errors of a closed channel; `disconnect` handles them.
  process.send?.(message, () => undefined);
}

function finish(id: number, end: ProcessEnd): void {
  running.delete(id);
  report({ type: 'end', id, end });
}

async function run(request: RunRequest): Promise<void> {
  const { id } = request;
  const entry: Running = { unreadBytes: 0, isKilled: false };
  running.set(id, entry);
  try {
    const file = request.output === 'file' ? await openUnlinkedFile() : undefined;
    if (!entry.isKilled) {
      start(request, entry, file);
      return;
    }
    await file?.close();
    finish(id, { kind: 'exited', code: null, signal: 'SIGKILL', stderr: '' });
  } catch (thrown) {
    finish(id, { kind: 'not_started', code: codeOf(thrown) });
  }
}

/** `file`: the process's standard output, which is read after the process has ended; else a pipe. */
function start({ id, command, args, input }: RunRequest, entry: Running, file?: FileHandle): void {
  const child: ChildProcessByStdio<Writable, Readable | null, Readable> = spawn(command, args, {
    stdio: ['pipe', file?.fd ?? 'pipe', 'pipe'],
  }) as ChildProcessByStdio<Writable, Readable | null, Readable>;
  let stderr = '';
  let startError: string | undefined;
  entry.child = child;
  if (child.stdout) forward(id, entry, child.stdout);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL_CHARS);
  });
  child.on('error', (error: NodeJS.ErrnoException) => {
    startError = codeOf(error);
  });
  child.on('close', (code, signal) => {
    const end: ProcessEnd =
      startError === undefined
        ? { kind: 'exited', code, signal, stderr }
        : { kind: 'not_started', code: startError };
    if (!file) return finish(id, end);
    const written = file.createReadStream({ start: 0 });
    written.on('error', (error) => finish(id, { kind: 'not_started', code: codeOf(error) }));
    written.on('end', () => finish(id, end));
    forward(id, entry, written);
  });
  // A process that exits before it has read its input is judged by its exit code.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
}

function forward(id: number, entry: Running, output: Readable): void {
  entry.output = output;
  if (entry.isKilled) {
    output.resume();
    return;
  }
  output.on('data', (bytes: Buffer) => {
    entry.unreadBytes += bytes.byteLength;
    if (entry.unreadBytes >= WINDOW_BYTES) output.pause();
    report({ type: 'output', id, bytes });
  });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

function taken(id: number, bytes: number): void {
  const entry = running.get(id);
  if (!entry) return;
  entry.unreadBytes -= bytes;
  if (entry.unreadBytes < WINDOW_BYTES) entry.output?.resume();
}

function kill(id: number): void {
  const entry = running.get(id);
  if (!entry) return;
  entry.isKilled = true;
  entry.child?.kill('SIGKILL');
  // Discard unread output, which would otherwise delay the `close` event.
  entry.output?.removeAllListeners('data').resume();
}

process.on('message', (request: HostRequest) => {
  switch (request.type) {
    case 'run':
      return void run(request);
    case 'taken':
      return taken(request.id, request.bytes);
    case 'kill':
      return kill(request.id);
  }
});

function stop(): void {
  for (const { child } of running.values()) child?.kill('SIGKILL');
  process.exit(0);
}

process.on('disconnect', stop);
process.on('SIGTERM', stop);
