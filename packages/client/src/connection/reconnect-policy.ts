/**
 * Close codes after which the call may continue with the same URL: lost connections, stopping, failed or restarting
 * servers, and closing by this client.
 */
const LOST = new Set([1001, 1006, 1011, 1012, 4000, 4408, 4503]);
/** Close codes for retries while reconnecting. 4409: the service has not detected the disconnect yet. */
const NOT_YET = new Set([...LOST, 4409]);
/** During a join: another worker has taken over the call. */
const MOVED = new Set([1012]);

/** How long the service waits for a disconnected client, unless it says otherwise. */
export const DEFAULT_GRACE_MS = 10_000;
/** A request without a response leaves time for another attempt within the grace. */
export const RESPONSE_LIMIT_MS = DEFAULT_GRACE_MS - 2000;
/** More than the service's own limit for setting up media, after which it rejects the join. */
export const JOIN_LIMIT_MS = 20_000;
/** When an attempt to connect opens more sockets while none has got a response, and when it ends. */
export interface AttemptTimes {
  moreAfterMs: readonly number[];
  limitMs: number;
}
/** The service allows three simultaneous joins per call. */
export const ATTEMPT_TIMES = {
  joining: { moreAfterMs: [4000], limitMs: 10_000 },
  lost: { moreAfterMs: [1000, 3000], limitMs: 6000 },
} satisfies Record<string, AttemptTimes>;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1000;

export interface Attempt {
  /** Close code of the last connection. */
  closeCode: number;
  /** `joining`: not in the call yet; `joined`: in the call until now; `lost`: reconnecting. */
  was: 'joining' | 'joined' | 'lost';
  /** Time since the connection was lost. */
  lostForMs: number;
  /** Number of attempts since then. */
  retries: number;
  /** How long the service waits for the client. */
  graceMs: number;
}

/** Delay before the next attempt; null if a retry is useless. */
export function pauseBeforeRetryMs({ closeCode, was, lostForMs, retries, graceMs }: Attempt): number | null {
  const worth = { joining: MOVED, joined: LOST, lost: NOT_YET }[was];
  if (!worth.has(closeCode) || lostForMs > graceMs) return null;
  return retries === 0 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (retries - 1));
}
