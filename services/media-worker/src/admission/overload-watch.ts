import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Clock, Timer } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { NOT_OVERLOADED, stepOverload, type LoadReading, type OverloadLimits } from './overload-guard.ts';
import type { Slots } from './slots.ts';

const READ_EVERY_MS = 1000;
/** The metric shows each change; the log at most one per interval. */
const LOG_EVERY_MS = 60_000;
/** Sampling interval of Node's monitor, which is included in its values. */
const SAMPLE_EVERY_MS = 10;

export interface LoadMonitor extends Disposable {
  /** Load since the last reading. */
  read(): LoadReading;
}

/** Monitors the calling thread and embedded speech-to-text. */
export function monitorLoad(sttLatenessMs: () => number): LoadMonitor {
  const delays = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
  delays.enable();
  let last = performance.eventLoopUtilization();
  return {
    read: () => {
      const { utilization } = performance.eventLoopUtilization(last);
      last = performance.eventLoopUtilization();
      const delayP99Ms = Math.max(0, delays.percentile(99) / 1e6 - SAMPLE_EVERY_MS);
      delays.reset();
      return { delayP99Ms, busyPart: utilization, sttLatenessMs: sttLatenessMs() };
    },
    [Symbol.dispose]: () => delays.disable(),
  };
}

export interface OverloadWatchOptions {
  slots: Slots;
  limits: OverloadLimits;
  clock: Clock;
  log: Logger;
}

/** Pauses the slots while the worker is overloaded, until disposed. */
export function watchOverload(
  { slots, limits, clock, log }: OverloadWatchOptions,
  monitor: LoadMonitor,
): Disposable {
  let state = NOT_OVERLOADED;
  let loggedMs = -Infinity;
  let timer: Timer;
  const look = (): void => {
    const reading = monitor.read();
    const next = stepOverload(state, reading, slots.used, limits);
    if (next.isOverloaded !== state.isOverloaded) slots.isPaused = next.isOverloaded;
    if (slots.isPaused && clock.nowMs() - loggedMs >= LOG_EVERY_MS) {
      loggedMs = clock.nowMs();
      log.warn({ ...reading, slotsUsed: slots.used }, 'worker overloaded; accepting priority calls only');
    }
    state = next;
    timer = clock.setTimer(READ_EVERY_MS, look);
  };
  timer = clock.setTimer(READ_EVERY_MS, look);
  return {
    [Symbol.dispose]: () => {
      timer.cancel();
      monitor[Symbol.dispose]();
    },
  };
}
