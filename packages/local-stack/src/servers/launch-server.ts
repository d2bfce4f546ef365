import { delay, systemClock } from '@calls/foundation/clock';
import { findFreePort } from '../free-port.ts';
import { LocalStackError } from '../reporter.ts';
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

const READY_LIMIT_MS = 30_000;
const POLL_MS = 10;
const MAX_ATTEMPTS = 4;
const RETRY_PAUSE_MS = 250;

/**
 * Starts the server and waits until it is ready. Without a port, uses a free one on loopback. Retries if the server
 * ends immediately, because another program may have taken the port, or a predecessor may still hold its files.
 */
export async function launchServer(
  definition: ServerDefinition,
  writeLog: (chunk: Buffer) => void,
  options: { port: number | undefined; signal: AbortSignal },
): Promise<{ process: ManagedProcess; port: number }> {
  const output = new RecentLines();
  const onOutput = (chunk: Buffer): void => {
    writeLog(chunk);
    output.push(chunk);
  };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    options.signal.throwIfAborted();
    if (attempt > 1) await delay(systemClock, RETRY_PAUSE_MS);
    const chosenPort = options.port ?? (await findFreePort(LOOPBACK));
    const process = await definition.spawn(chosenPort, onOutput);
    if (await becameReady(definition, process, chosenPort, options.signal))
      return { process, port: chosenPort };
    if (!process.hasExited) {
      await process.stop();
      options.signal.throwIfAborted();
      throw failure(definition.name, `was not ready within ${READY_LIMIT_MS / 1000} s`, output);
    }
  }
  throw failure(definition.name, 'ended at once', output);
}

/** False if the process ended, the time limit passed, or the start was aborted first. */
async function becameReady(
  definition: ServerDefinition,
  process: ManagedProcess,
  port: number,
  signal: AbortSignal,
): Promise<boolean> {
  const deadlineMs = systemClock.nowMs() + READY_LIMIT_MS;
  while (!process.hasExited && !signal.aborted && systemClock.nowMs() < deadlineMs) {
    if (await definition.isReady(port)) return !process.hasExited;
    await delay(systemClock, POLL_MS);
  }
  return false;
}

function failure(name: string, what: string, output: RecentLines): LocalStackError {
  return new LocalStackError('server_failed', `${name} ${what}. Its last output:\n${output.indented()}`);
}
