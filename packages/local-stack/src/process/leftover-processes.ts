import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { delay, systemClock } from '@calls/foundation/clock';
import type { RunRecord } from './managed-process.ts';
import { isAlive } from './process-identity.ts';

const STOP_LIMIT_MS = 10_000;
const POLL_MS = 20;

/**
 * Stops the processes that a killed launcher left running: those in its run files, if they still are the same
 * processes. Call it only while holding the lock of the data directory. Returns the names of those that were alive.
 */
export async function stopLeftoverProcesses(runDir: string): Promise<string[]> {
  const records = readdirSync(runDir)
    .filter((file) => file.endsWith('.json'))
    .map((file) => join(runDir, file));
  const stopped = await Promise.all(records.map(stopLeftover));
  return stopped.filter((name) => name !== undefined);
}

async function stopLeftover(runFile: string): Promise<string | undefined> {
  const record = readRecord(runFile);
  const alive = record !== undefined && isAlive(record);
  if (alive) {
    sendSignal(record.pid, record.stopSignal);
    // A paused process (SIGSTOP) handles its signal only after it continues.
    sendSignal(record.pid, 'SIGCONT');
    if (!(await hasEnded(record))) {
      sendSignal(-record.pid, 'SIGKILL');
      await hasEnded(record);
    }
  }
  rmSync(runFile, { force: true });
  return alive ? record.name : undefined;
}

async function hasEnded(record: RunRecord): Promise<boolean> {
  const deadlineMs = systemClock.nowMs() + STOP_LIMIT_MS;
  while (isAlive(record)) {
    if (systemClock.nowMs() > deadlineMs) return false;
    await delay(systemClock, POLL_MS);
  }
  return true;
}

/** Undefined for a file that a killed launcher wrote partially. */
function readRecord(runFile: string): RunRecord | undefined {
  try {
    return JSON.parse(readFileSync(runFile, 'utf8')) as RunRecord;
  } catch {
    return undefined;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in between.
  }
}
