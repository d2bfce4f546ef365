import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { toError } from './errors.ts';

/** A symbolic link to the calling thread on Linux: `<pid>/task/<tid>`. */
const THREAD_SELF = '/proc/thread-self';
const TIME_LIMIT_MS = 2000;

/**
 * Gives the calling thread real-time priority: it runs as soon as it has work, whatever other threads and processes
 * do. For threads that need little processor time. Returns null, or why not: it needs Linux, the program `chrt`, and the
 * capability CAP_SYS_NICE or an `rtprio` limit of at least 1.
 */
export function raiseThreadPriority(): string | null {
  try {
    const tid = readlinkSync(THREAD_SELF).split('/').at(-1) ?? '';
    // Threads that this one starts have normal priority.
    const args = ['--reset-on-fork', '--rr', '--pid', '1', tid];
    execFileSync('chrt', args, { stdio: 'ignore', timeout: TIME_LIMIT_MS });
    return null;
  } catch (thrown) {
    return toError(thrown).message;
  }
}
