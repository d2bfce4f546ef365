import type { Clock } from '@calls/foundation/clock';
import { decisionOf } from './outcome.ts';
import { windowKey, type Decision, type RateLimits, type Window } from './rate-limits.ts';

const DEFAULT_MAX_WINDOWS = 10_000;

/** The times at which the permits of a window were taken, in µs, oldest first. */
type Log = number[];

/** Counts in this process only. Remembers a limited number of windows; the least recently used is discarded first. */
export class LocalRateLimits implements RateLimits {
  readonly #clock: Clock;
  readonly #maxWindows: number;
  readonly #logs = new Map<string, Log>();

  constructor(clock: Clock, maxWindows = DEFAULT_MAX_WINDOWS) {
    this.#clock = clock;
    this.#maxWindows = maxWindows;
  }

  take(subject: string, windows: readonly Window[]): Promise<Decision> {
    const atUs = Math.round(this.#clock.nowMs() * 1000);
    const claims = windows.map((window) => {
      const lengthUs = window.windowMs * 1000;
      const log = this.#recent(windowKey(subject, window), atUs - lengthUs);
      // The permit that must expire before there is room; undefined if there is room.
      const blocking = log.at(-window.limit);
      return { log, freesAtUs: blocking === undefined ? null : blocking + lengthUs };
    });
    const logs = new Set(claims.map(({ log }) => log));
    const granted = claims.every(({ freesAtUs }) => freesAtUs === null);
    if (granted) for (const log of logs) log.push(atUs);
    const states = claims.map(({ log, freesAtUs }) => ({
      used: log.length,
      newestUs: log.at(-1) ?? null,
      freesAtUs,
    }));
    const release = (): Promise<void> => {
      for (const log of logs) forget(log, atUs);
      return Promise.resolve();
    };
    return Promise.resolve(decisionOf(windows, { granted, atUs, logs: states }, release));
  }

  /** Clears all windows. */
  clear(): void {
    this.#logs.clear();
  }

  /** The window's log without expired permits. */
  #recent(key: string, leftUs: number): Log {
    const log = this.#logs.get(key) ?? [];
    const left = log.findIndex((us) => us > leftUs);
    log.splice(0, left === -1 ? log.length : left);
    this.#logs.delete(key);
    this.#logs.set(key, log);
    if (this.#logs.size > this.#maxWindows) {
      const [oldest] = this.#logs.keys();
      if (oldest !== undefined) this.#logs.delete(oldest);
    }
    return log;
  }
}

function forget(log: Log, us: number): void {
  const index = log.lastIndexOf(us);
  if (index !== -1) log.splice(index, 1);
}
