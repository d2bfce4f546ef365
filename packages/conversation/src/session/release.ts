import { MEDIA_STATISTICS_EVENT } from '@calls/api-contract/bus/call-log-entry';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { DataConnection } from '../ports/data-connection.ts';
import type { CloseReason, MediaTransport } from '../ports/media-transport.ts';
import type { CallEvents } from './call-events.ts';

export interface CallResources {
  transport: Pick<MediaTransport, 'close' | 'statistics'>;
  dataConnection: Pick<DataConnection, 'close'> | null;
  callEvents: Pick<CallEvents, 'add'>;
  log: Pick<Logger, 'warn'>;
}

export interface PendingWork<T> {
  /** Resolves when the user's last transcript is known. */
  finalTranscript: Promise<unknown>;
  sound: Promise<T>;
  endTrace: () => Promise<void> | undefined;
}

/**
 * Releases the resources of a call; resolves with the stored audio. With `reason` null, the transport stays open. The data
 * connection sends what is queued before it closes.
 */
export async function release<T>(
  resources: CallResources,
  reason: CloseReason | null,
  pending: PendingWork<T>,
  dataConnectionReason: Parameters<DataConnection['close']>[0],
): Promise<T> {
  const closed = closeTransport(reason, resources);
  const [sound] = await Promise.all([pending.sound, pending.finalTranscript]);
  await Promise.all([resources.dataConnection?.close(dataConnectionReason), pending.endTrace(), closed]);
  return sound;
}

async function closeTransport(
  reason: CloseReason | null,
  { transport, callEvents, log }: CallResources,
): Promise<void> {
  try {
    if (reason !== null) await transport.close(reason);
    const statistics = transport.statistics?.();
    if (statistics)
      callEvents.add('debug', MEDIA_STATISTICS_EVENT, 'The media connection ended.', { ...statistics });
  } catch (thrown) {
    log.warn({ err: toError(thrown) }, 'failed to close transport');
  }
}
