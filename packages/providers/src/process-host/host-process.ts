import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { WINDOW_BYTES, type HostReport, type HostRequest, type ProcessEnd } from './messages.ts';

// Entry of the host process: runs commands for its parent process, and exits with all its children when the parent exits.

const STDERR_TAIL_CHARS = 500;

interface Running {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Bytes sent but not acknowledged. */
  unreadBytes: number;
}

const running = new Map<number, Running>();

function report(message: HostReport): void {
  // The callback ignores errors of a closed channel; `disconnect` handles them.
  process.send?.(message, () => undefined);
}

function run({ id, command, args, input }: Extract<HostRequest, { type: 'run' }>): void {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const entry: Running = { child, unreadBytes: 0 };
  let stderr = '';
  let startFault: string | undefined;
  running.set(id, entry);
  child.stdout.on('data', (bytes: Buffer) => {
    entry.unreadBytes += bytes.byteLength;
    if (entry.unreadBytes >= WINDOW_BYTES) child.stdout.pause();
    report({ type: 'output', id, bytes });
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL_CHARS);
  });
  child.on('error', (fault: NodeJS.ErrnoException) => {
    startFault = fault.code ?? 'unknown';
  });
  child.on('close', (code, signal) => {
    running.delete(id);
    const end: ProcessEnd =
      startFault === undefined
        ? { kind: 'exited', code, signal, stderr }
        : { kind: 'not_started', code: startFault };
    report({ type: 'end', id, end });
  });
  // A process that exits before it has read its input is judged by its exit code.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
}

function taken(id: number, bytes: number): void {
  const entry = running.get(id);
  if (!entry) return;
  entry.unreadBytes -= bytes;
  if (entry.unreadBytes < WINDOW_BYTES) entry.child.stdout.resume();
}

function kill(id: number): void {
  const entry = running.get(id);
  if (!entry) return;
  entry.child.kill('SIGKILL');
  // Discard unread output, which would otherwise delay the `close` event.
  entry.child.stdout.removeAllListeners('data').resume();
}

process.on('message', (request: HostRequest) => {
  switch (request.type) {
    case 'run':
      return run(request);
    case 'taken':
      return taken(request.id, request.bytes);
    case 'kill':
      return kill(request.id);
  }
});

process.on('disconnect', () => {
  for (const { child } of running.values()) child.kill('SIGKILL');
  process.exit(0);
});
