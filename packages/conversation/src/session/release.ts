import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { DataConnection } from '../ports/data-connection.ts';
import type { CloseReason, MediaTransport } from '../ports/media-transport.ts';

export interface CallResources {
  transport: Pick<MediaTransport, 'close'>;
  dataConnection: Pick<DataConnection, 'close'> | null;
  log: Pick<Logger, 'warn'>;
}

export interface PendingWork<T> {
  /** Resolves when the last words of the user are known. */
  words: Promise<void>;
  sound: Promise<T>;
  endTrace: () => Promise<void> | undefined;
}

/**
 * Closes all that a call holds and resolves with its sound. The medium is closed once the user was `transferred`, where that
 * is asked for. What the data connection has not received yet goes out before it is closed.
 */
export async function release<T>(
  held: CallResources,
  reason: CloseReason,
  remains: PendingWork<T>,
  transferred: Promise<unknown> | null = null,
): Promise<T> {
  const closed = closeAfter(transferred, reason, held);
  const [sound] = await Promise.all([remains.sound, remains.words]);
  await Promise.all([held.dataConnection?.close(), remains.endTrace(), closed]);
  return sound;
}

async function closeAfter(
  transferred: Promise<unknown> | null,
  reason: CloseReason,
  { transport, log }: CallResources,
): Promise<void> {
  if (transferred) await transferred;
  try {
    await transport.close(reason);
  } catch (thrown) {
    log.warn({ err: toError(thrown) }, 'transport did not close cleanly');
  }
}
