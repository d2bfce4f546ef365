/** Closings after which the call may go on by the same URL: a break, a server that goes, failed or restarts, our own breaking off. */
const LOST = new Set([1001, 1006, 1011, 1012, 4000, 4408, 4503]);
/** While coming back, also: the service has not noticed yet that we are gone. */
const NOT_YET = new Set([...LOST, 4409]);
/** During a join: the call is another worker's from now on. */
const MOVED = new Set([1012]);

/** How long the service waits for a disconnected client by default. */
const GIVE_UP_AFTER_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1000;

export interface Attempt {
  /** The last connection's. */
  closeCode: number;
  /** `joining`: never been in the call; `joined`: until now; `lost`: trying to come back. */
  was: 'joining' | 'joined' | 'lost';
  /** Since the first of these losses. */
  lostForMs: number;
  /** Attempts made since then. */
  retries: number;
}

/** How long to wait before the next attempt; null: it's no use. */
export function pauseBeforeRetryMs({ closeCode, was, lostForMs, retries }: Attempt): number | null {
  const worth = { joining: MOVED, joined: LOST, lost: NOT_YET }[was];
  if (!worth.has(closeCode) || lostForMs > GIVE_UP_AFTER_MS) return null;
  return retries === 0 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (retries - 1));
}
