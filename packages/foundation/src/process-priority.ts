import { setPriority } from 'node:os';

/** Priority of processes that send audio every few milliseconds. */
const REAL_TIME_NICE = -5;

/**
 * Raises the priority of this process if the system allows it (root, CAP_SYS_NICE); otherwise returns false. Threads
 * and processes started later inherit it.
 */
export function raisePriority(): boolean {
  return trySetPriority(0, REAL_TIME_NICE);
}

/** Resets the inherited priority of a child process. */
export function resetPriority(pid: number | undefined): void {
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
