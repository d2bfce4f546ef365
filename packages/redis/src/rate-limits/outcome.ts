import type { Decision, Window, WindowState } from './rate-limits.ts';

/** What a keeper of logs says to a take; times in microseconds of the keeper's clock. */
export interface Outcome {
  readonly granted: boolean;
  readonly atUs: number;
  /** One for each window, in their order. */
  readonly logs: readonly LogState[];
}

export interface LogState {
  /** Places in use, this one among them where it was granted. */
  readonly used: number;
  /** When the youngest place in use was taken; null where none is. */
  readonly newestUs: number | null;
  /** When the window has room again; null where it has. */
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

/** Rounded up: whoever waits as long as it was told doesn't come too early. */
function wholeMs(us: number): number {
  return Math.ceil(us / 1000);
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= run());
}
