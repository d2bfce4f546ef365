import { setPriority } from 'node:os';

/** For a process that sends sound every few milliseconds. */
const REAL_TIME_NICE = -5;

/**
 * Runs before other processes of the machine, where the system allows it (root, CAP_SYS_NICE); false where it doesn't. Threads
 * and processes that are started later inherit it.
 */
export function takePrecedence(): boolean {
  return trySetPriority(0, REAL_TIME_NICE);
}

/** Makes a child of a process with precedence one like all others. */
export function takeNoPrecedence(pid: number | undefined): void {
  if (pid !== undefined) trySetPriority(pid, 0);
}

function trySetPriority(pid: number, nice: number): boolean {
  try {
    setPriority(pid, nice);
    return true;
  } catch {
    return false;
  }
}
