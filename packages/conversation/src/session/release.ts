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
  /** Resolves when the user's last transcript is known. */
  words: Promise<void>;
  sound: Promise<T>;
  endTrace: () => Promise<void> | undefined;
}

/**
 * Releases the resources of a call; resolves with the stored audio. The transport closes after `transferred`,
 * if given. The data connection sends what is queued before it closes.
 */
export async function release<T>(
  resources: CallResources,
  reason: CloseReason,
  pending: PendingWork<T>,
  transferred: Promise<unknown> | null = null,
): Promise<T> {
  const closed = closeAfter(transferred, reason, resources);
  const [sound] = await Promise.all([pending.sound, pending.words]);
  await Promise.all([resources.dataConnection?.close(), pending.endTrace(), closed]);
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
    log.warn({ err: toError(thrown) }, 'failed to close transport');
  }
}
