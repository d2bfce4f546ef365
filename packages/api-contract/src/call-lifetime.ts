/** Extra time for clients whose media is being set up when `joinTimeout` passes. */
export const SET_UP_EXTENSION_MS = 5000;

/**
 * From `joinTimeout` until a control-plane ends a call that no worker has ended. It covers the extension, and the delay of
 * the worker's events.
 */
export const UNJOINED_GRACE_MS = SET_UP_EXTENSION_MS + 10_000;

/** Extra time for a message at the time limit. */
export const OVERTIME_MS = 60_000;

/** Latest end of a call, as epoch milliseconds. */
export function callDeadlineMs(call: {
  createdAtMs: number;
  joinTimeoutMs: number;
  maxDurationMs: number;
}): number {
  return call.createdAtMs + call.joinTimeoutMs + call.maxDurationMs + OVERTIME_MS;
}

/** Time limit for setting up the media of a WebRTC client. */
export const MEDIA_SET_UP_LIMIT_MS = 15_000;
