import { delay, systemClock } from '@calls/foundation/clock';
import { findFreePort } from '../free-port.ts';
import { LocalStackError, type Reporter } from '../reporter.ts';
import { StartProgress } from '../start-progress.ts';
import type { ManagedProcess } from '../process/managed-process.ts';
import { RecentLines } from '../process/line-splitter.ts';

export const LOOPBACK = '127.0.0.1';

/** A server that the stack starts. */
export interface ServerDefinition {
  readonly name: string;
  /** Creates the server's files. Runs once per stack, before the first `spawn`. */
  prepare(): Promise<void>;
  spawn(port: number, onOutput: (chunk: Buffer) => void): Promise<ManagedProcess>;
  /** Whether the server on this port accepts our credentials. Never throws. */
  isReady(port: number): Promise<boolean>;
  url(port: number): string;
}

const POLL_MS = 10;
const MAX_ATTEMPTS = 4;
const RETRY_PAUSE_MS = 250;

/**
 * Starts the server and waits until it is ready. Without a port, uses a free one on loopback. Retries if the server
 * ends before it is ready, because another program may have taken the port, or a predecessor may still hold its files.
 */
export async function launchServer(
  definition: ServerDefinition,
  writeLog: (chunk: Buffer) => void,
  options: {
    port: number | undefined;
    reporter: Reporter;
    startLimitMs: number;
    signal: AbortSignal;
  },
): Promise<{ process: ManagedProcess; port: number }> {
  let output = new RecentLines();
  const onOutput = (chunk: Buffer): void => {
    writeLog(chunk);
    output.push(chunk);
  };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    options.signal.throwIfAborted();
    if (attempt > 1) await delay(systemClock, RETRY_PAUSE_MS);
    output = new RecentLines();
    const chosenPort = options.port ?? (await findFreePort());
    const process = await definition.spawn(chosenPort, onOutput);
    if (await becameReady(definition, process, { ...options, port: chosenPort }))
      return { process, port: chosenPort };
    if (!process.hasExited) {
      await process.stop();
      options.signal.throwIfAborted();
      throw failure(
        definition.name,
        `was not ready within ${options.startLimitMs / 1000} s (START_LIMIT_MS)`,
        output,
      );
    }
  }
  throw failure(definition.name, 'ended before it was ready', output);
}

/** False if the process ended, the time limit passed, or the start was aborted first. */
async function becameReady(
  definition: ServerDefinition,
  process: ManagedProcess,
  options: { port: number; reporter: Reporter; startLimitMs: number; signal: AbortSignal },
): Promise<boolean> {
  const { port, reporter, startLimitMs, signal } = options;
  using _progress = new StartProgress(process, reporter);
  const deadlineMs = systemClock.nowMs() + startLimitMs;
  while (!process.hasExited && !signal.aborted && systemClock.nowMs() < deadlineMs) {
    if (await definition.isReady(port)) return !process.hasExited;
    await delay(systemClock, POLL_MS);
  }
  return false;
}

function failure(name: string, what: string, output: RecentLines): LocalStackError {
  return new LocalStackError('server_failed', `${name} ${what}. Its last output:\n${output.indented()}`);
}
