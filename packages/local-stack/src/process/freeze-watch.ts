import { get } from 'node:http';
import { delay, systemClock } from '@calls/foundation/clock';
import type { ManagedProcess } from './managed-process.ts';
import { readStat } from './process-identity.ts';

const POLL_INTERVAL_MS = 100;
/** A process that has used no processor time for this long is asked for a response. */
const ASK_AFTER_MS = 300;
const RESPONSE_LIMIT_MS = 300;
const FROZEN_AFTER_MS = 1200;
/** The same for a process that a signal has stopped, which cannot merely be slow. */
const STOPPED_AFTER_MS = 200;
/** A check that comes this late means that the watching process did not run. */
const LATE_AFTER_MS = 1000;

/**
 * Calls `onFrozen`, once, if the process is stopped, or neither responds nor uses processor time for a while. A busy
 * process is left alone, however slow it is. Watches until the process ends.
 */
export async function watchForFreeze(
  process: Pick<ManagedProcess, 'hasExited' | 'pid'>,
  responds: (limitMs: number) => Promise<boolean>,
  onFrozen: () => void,
): Promise<void> {
  let sinceMs = systemClock.nowMs();
  let lookedMs = sinceMs;
  let last: Usage | undefined;
  while (!process.hasExited) {
    const before = usageOf(process.pid);
    const isAsked = !before?.isStopped && systemClock.nowMs() - sinceMs >= ASK_AFTER_MS;
    const isResponding = isAsked && (await responds(RESPONSE_LIMIT_MS));
    const usage = isAsked ? usageOf(process.pid) : before;
    const nowMs = systemClock.nowMs();
    const hasChanged = usage?.ticks !== last?.ticks || usage?.isStopped !== last?.isStopped;
    if (!usage || hasChanged || isResponding || nowMs - lookedMs > LATE_AFTER_MS) sinceMs = nowMs;
    else if (nowMs - sinceMs >= (usage.isStopped ? STOPPED_AFTER_MS : FROZEN_AFTER_MS)) {
      onFrozen();
      return;
    }
    last = usage;
    lookedMs = nowMs;
    await delay(systemClock, POLL_INTERVAL_MS);
  }
}

/** Whether a service responds to `/healthz` in time. */
export function isHealthy(port: number, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/healthz', agent: false, timeout: limitMs };
    const request = get(options, (response) => {
      response.resume();
      resolve(true);
    });
    request.on('timeout', () => request.destroy());
    request.on('close', () => resolve(false));
    request.on('error', () => undefined);
  });
}

interface Usage {
  /** Processor time in user and system mode. */
  ticks: string;
  isStopped: boolean;
}

/** Undefined where the system does not say. */
function usageOf(pid: number): Usage | undefined {
  const fields = readStat(pid);
  return fields && { ticks: `${fields[11]} ${fields[12]}`, isStopped: fields[0] === 'T' };
}
