import { callOfObject } from '@calls/api-contract/call-objects';
import type { FinishDeps } from '@calls/object-storage/call-objects/finish-object';
import type { Logger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { finishCallObjects } from './finish-call-objects.ts';

/** Longer than a call may last. */
const ABANDONED_AFTER_MS = 24 * 3600_000;

/**
 * Handles objects that crashed processes left unfinished more than a day ago: completes those that a call
 * still needs and deletes the others.
 */
export async function clearUnfinished(
  deps: FinishDeps & { db: Database; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const { storage, clock, log } = deps;
  let cleared = 0;
  for await (const object of storage.unfinished()) {
    if (signal.aborted) break;
    if (clock.wallMs() - object.changedAtMs < ABANDONED_AFTER_MS) continue;
    const call = callOfObject(object.key);
    if (call) await finishCallObjects(deps, call);
    await (await object.resume())?.abort();
    cleared += 1;
  }
  if (cleared > 0) log.info({ objects: cleared }, 'unfinished objects cleared');
}
