import { toError, type Logger } from '@calls/foundation';
import type { DataConnection } from '../ports/data-connection.ts';
import type { CloseReason, MediaTransport } from '../ports/media-transport.ts';

export interface HeldByCall {
  transport: Pick<MediaTransport, 'close'>;
  dataConnection: Pick<DataConnection, 'close'> | null;
  log: Pick<Logger, 'warn'>;
}

/**
 * Closes all that a call holds and resolves with its `sound`. The medium is closed once the user was `transferred`, where that
 * is asked for. What the data connection has not received yet goes out before it is closed.
 */
export async function release<T>(
  held: HeldByCall,
  reason: CloseReason,
  sound: Promise<T>,
  trace: Promise<void>,
  transferred: Promise<unknown> | null,
): Promise<T> {
  const closed = closeAfter(transferred, reason, held);
  const result = await sound;
  await Promise.all([held.dataConnection?.close(), trace, closed]);
  return result;
}

async function closeAfter(
  transferred: Promise<unknown> | null,
  reason: CloseReason,
  { transport, log }: HeldByCall,
): Promise<void> {
  if (transferred) await transferred;
  try {
    await transport.close(reason);
  } catch (thrown) {
    log.warn({ err: toError(thrown) }, 'transport did not close cleanly');
  }
}
