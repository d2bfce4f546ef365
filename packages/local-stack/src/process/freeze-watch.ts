import { get } from 'node:http';
import { delay, systemClock } from '@calls/foundation/clock';
import type { ManagedProcess } from './managed-process.ts';
import { readStat } from './process-identity.ts';

const LOOK_EVERY_MS = 300;
const RESPONSE_LIMIT_MS = 300;
const FROZEN_AFTER_MS = 1200;
/** Of a look: the watching process did not run. */
const LATE_AFTER_MS = 1000;

/**
 * Calls `onFrozen`, once, if the process neither responds nor uses processor time for a while. A busy process is left
 * alone, however slow it is. Watches until the process ends.
 */
export async function watchForFreeze(
  process: Pick<ManagedProcess, 'hasExited' | 'pid'>,
  responds: (limitMs: number) => Promise<boolean>,
  onFrozen: () => void,
): Promise<void> {
  let sinceMs = systemClock.nowMs();
  let lookedMs = sinceMs;
  let usedTicks: string | undefined;
  while (!process.hasExited) {
    const isResponding = await responds(RESPONSE_LIMIT_MS);
    const ticks = processorTicks(process.pid);
    const nowMs = systemClock.nowMs();
    if (isResponding || ticks === undefined || ticks !== usedTicks || nowMs - lookedMs > LATE_AFTER_MS) {
      sinceMs = nowMs;
      usedTicks = ticks;
    } else if (nowMs - sinceMs >= FROZEN_AFTER_MS) {
      onFrozen();
      return;
    }
    lookedMs = nowMs;
    await delay(systemClock, LOOK_EVERY_MS);
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

/** In user and system mode. Undefined where the system does not say. */
function processorTicks(pid: number): string | undefined {
  const fields = readStat(pid);
  return fields && `${fields[11]} ${fields[12]}`;
}
