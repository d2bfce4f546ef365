import type { Logger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { deleteBilledCalls as deleteSome } from '@calls/store/tables/deleted-calls';

/** The call's worker and the callbacks of its end may still send events this long after the end. */
const GRACE_MS = 2000;
const BATCH = 20;

/** Deletes the calls that are retained only until they are billed (AUTO_DELETE). */
export async function deleteBilledCalls(
  { db, log }: { db: Database; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const deleted = await deleteSome(db, { graceMs: GRACE_MS, limit: BATCH });
    if (deleted > 0) log.info({ calls: deleted }, 'billed calls deleted');
    if (deleted < BATCH) return;
  }
}
