import type { Duplex } from 'node:stream';
import { delay, type Clock } from '@calls/foundation/clock';

/**
 * Moves start at most this long before the drain limit, unless they need more time. Until then, calls and connections
 * may end by themselves.
 */
const LEAD_MS = 30_000;
/** Time to move a call or close a connection on a busy machine. */
export const EACH_MOVE_MS = 1000;

/**
 * Returns how long before its drain limit a worker starts to move calls, or the connections that it forwards: the
 * second half of the limit, at most 30 s, or longer if `count` moves need more.
 */
export function drainLeadMs(limitMs: number, count: number): number {
  return Math.min(limitMs, Math.max(Math.min(limitMs / 2, LEAD_MS), count * EACH_MOVE_MS));
}

/** Whether `count` calls can move one after the other within the drain limit. */
export function canMoveInTurn(limitMs: number, count: number): boolean {
  return count * EACH_MOVE_MS <= limitMs;
}

/**
 * Closes connections one after the other before the drain limit, because each client that reconnects takes processor
 * time. Resolves when all are closed.
 */
export async function closeInTurn(
  open: ReadonlyMap<Duplex, { closed: Promise<unknown> }>,
  limitMs: number,
  clock: Clock,
): Promise<void> {
  const allClosed = new AbortController();
  void Promise.all([...open.values()].map(({ closed }) => closed)).then(() => allClosed.abort());
  const leadMs = drainLeadMs(limitMs, open.size);
  const pauseMs = leadMs / (open.size + 1);
  try {
    await delay(clock, limitMs - leadMs, allClosed.signal);
    for (const connection of [...open.keys()]) {
      if (connection.destroyed) continue;
      connection.destroy();
      await delay(clock, pauseMs, allClosed.signal);
    }
  } catch {
    // All connections are closed.
  }
}
