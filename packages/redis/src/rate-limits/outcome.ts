import type { Decision, Window, WindowState } from './rate-limits.ts';

/** The result of a take; times in microseconds of the counter's clock. */
export interface Outcome {
  readonly granted: boolean;
  readonly atUs: number;
  /** One per window, in order. */
  readonly logs: readonly LogState[];
}

export interface LogState {
  /** Permits in use, including this one if granted. */
  readonly used: number;
  /** When the newest permit in use was taken; null if there is none. */
  readonly newestUs: number | null;
  /** When the window has room again; null if it has room now. */
  readonly freesAtUs: number | null;
}

export function decisionOf(
  windows: readonly Window[],
  outcome: Outcome,
  release: () => Promise<void>,
): Decision {
  const states: WindowState[] = [];
  let refusedBy: WindowState | undefined;
  let retryAfterMs = 0;
  for (const [index, window] of windows.entries()) {
    const log = outcome.logs[index];
    if (!log) throw new Error('an outcome has a log for each window');
    const { newestUs, freesAtUs } = log;
    const state: WindowState = {
      ...window,
      remaining: Math.max(0, window.limit - log.used),
      resetMs: newestUs === null ? 0 : wholeMs(newestUs - outcome.atUs) + window.windowMs,
    };
    states.push(state);
    if (freesAtUs === null) continue;
    const waitMs = wholeMs(freesAtUs - outcome.atUs);
    if (refusedBy && waitMs <= retryAfterMs) continue;
    refusedBy = state;
    retryAfterMs = waitMs;
  }
  if (refusedBy) return { granted: false, windows: states, refusedBy, retryAfterMs };
  return { granted: true, windows: states, release: once(release) };
}

/** Rounded up, so that a caller that waits this long does not retry too early. */
function wholeMs(us: number): number {
  return Math.ceil(us / 1000);
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= run());
}
