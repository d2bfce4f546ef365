import type { WebSocket } from 'ws';

/** How long the service waits for a disconnected client, unless it announces another time. */
export const DEFAULT_GRACE_MS = 10_000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 1000;
/**
 * Close codes after which the client retries: the connection broke (1006), the worker failed (1011) or restarts (1012), or
 * no worker has capacity (4503). While reconnecting also 4409: the server has not yet noticed the disconnect.
 */
const LOST = new Set([1006, 1011, 1012, 4503]);
const NOT_YET = new Set([...LOST, 4409]);

const POLL_INTERVAL_MS = 250;
/** A server that has sent nothing for this long is pinged. */
const PING_AFTER_MS = 500;
/** A server that has sent nothing for this long, not even responses to pings, is disconnected. */
const SILENT_LIMIT_MS = 1500;

/** Returns how long to wait before the next connection; null if another attempt cannot succeed. */
export function reconnectPauseMs({
  code,
  isReconnecting,
  lostForMs,
  retries,
  graceMs,
}: {
  /** Close code of the last connection. */
  code: number;
  /** False if this is the first disconnect since the call was joined. */
  isReconnecting: boolean;
  lostForMs: number;
  retries: number;
  graceMs: number;
}): number | null {
  const mayReturn = (isReconnecting ? NOT_YET : LOST).has(code);
  if (!mayReturn || lostForMs > graceMs) return null;
  return retries === 0 ? 0 : Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (retries - 1));
}

/** Terminates the connection if the server hangs or died without closing it. */
export function watchServer(socket: WebSocket): void {
  let lookedMs = performance.now();
  let receivedMs = socket.readyState === socket.OPEN ? lookedMs : Infinity;
  const received = (): void => {
    receivedMs = performance.now();
  };
  for (const event of ['open', 'message', 'ping', 'pong']) socket.on(event, received);
  const look = (): void => {
    const nowMs = performance.now();
    // This process was suspended, so it has not yet read the data that arrived.
    if (nowMs - lookedMs > PING_AFTER_MS && receivedMs !== Infinity) receivedMs = nowMs;
    lookedMs = nowMs;
    const silentMs = nowMs - receivedMs;
    if (silentMs >= SILENT_LIMIT_MS) socket.terminate();
    else if (silentMs >= PING_AFTER_MS && socket.readyState === socket.OPEN) socket.ping();
  };
  const timer = setInterval(look, POLL_INTERVAL_MS);
  socket.once('close', () => clearInterval(timer));
}
