import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Clock, Timer } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { NOT_OVERLOADED, stepOverload, type LoadReading, type OverloadLimits } from './overload-guard.ts';
import {
  NO_PRESSURE,
  PRESSURE_LEVELS,
  isAtLeast,
  stepPressure,
  usableShare,
  type LostTime,
  type PressureState,
} from './processor-pressure.ts';
import { lostBetween, readProcessorTimes } from './processor-time.ts';
import type { Slots } from './slots.ts';

const READ_EVERY_MS = 1000;
/** Minimum interval between log entries about overload. The metric shows each change. */
const LOG_EVERY_MS = 60_000;
/** Sampling interval of Node's event loop monitor. The delays that it reports include this interval. */
const SAMPLE_EVERY_MS = 10;

export interface LoadMonitor extends Disposable {
  /** Load since the last reading. */
  read(): LoadReading & { lost: LostTime };
}

/** Monitors the calling thread and embedded speech-to-text. */
export function monitorLoad(sttLatenessMs: () => number): LoadMonitor {
  const delays = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
  delays.enable();
  let last = performance.eventLoopUtilization();
  let lastTimes = readProcessorTimes(performance.now());
  return {
    read: () => {
      const { utilization } = performance.eventLoopUtilization(last);
      last = performance.eventLoopUtilization();
      const delayP99Ms = Math.max(0, delays.percentile(99) / 1e6 - SAMPLE_EVERY_MS);
      delays.reset();
      const times = readProcessorTimes(performance.now());
      const lost = lostBetween(lastTimes, times);
      lastTimes = times;
      return { delayP99Ms, busyShare: utilization, sttLatenessMs: sttLatenessMs(), lost };
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

/** What the worker cuts back at the moment. */
export interface WorkerLoad {
  readonly pressure: PressureState;
}

/**
 * Until disposed, pauses the slots while the worker is overloaded, and lowers their number while it gets too little
 * processor time.
 */
export function watchOverload(
  { slots, limits, clock, log }: OverloadWatchOptions,
  monitor: LoadMonitor,
): WorkerLoad & Disposable {
  let state = NOT_OVERLOADED;
  let pressure = NO_PRESSURE;
  let loggedMs = -Infinity;
  let loggedPressureMs = -Infinity;
  let timer: Timer;
  const look = (): void => {
    const { lost, ...reading } = monitor.read();
    const next = stepOverload(state, reading, slots.used, limits);
    const { isOverloaded } = next;
    const before = pressure;
    pressure = stepPressure(pressure, lost, { calls: slots.used, isOverloaded });
    const isPaused = isOverloaded || isAtLeast(pressure.level, 'storage');
    if (isPaused !== slots.isPaused) slots.isPaused = isPaused;
    const usable = Math.max(1, Math.floor(slots.capacity * usableShare(pressure)));
    if (usable !== slots.usable) slots.usable = usable;
    const isWorse = PRESSURE_LEVELS.indexOf(pressure.level) > PRESSURE_LEVELS.indexOf(before.level);
    if (isWorse && clock.nowMs() - loggedPressureMs >= LOG_EVERY_MS) {
      loggedPressureMs = clock.nowMs();
      log.warn({ ...lost, ...pressure, usable, slotsUsed: slots.used }, 'processor time lost; shedding work');
    }
    if (isOverloaded && clock.nowMs() - loggedMs >= LOG_EVERY_MS) {
      loggedMs = clock.nowMs();
      log.warn({ ...reading, slotsUsed: slots.used }, 'worker overloaded; accepting priority calls only');
    }
    state = next;
    timer = clock.setTimer(READ_EVERY_MS, look);
  };
  timer = clock.setTimer(READ_EVERY_MS, look);
  return {
    get pressure() {
      return pressure;
    },
    [Symbol.dispose]: () => {
      timer.cancel();
      monitor[Symbol.dispose]();
    },
  };
}
