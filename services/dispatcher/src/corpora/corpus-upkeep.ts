import type { Logger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { deleteUnusedUploads } from '@calls/store/tables/corpus-documents';
import { orderLostLoading } from '@calls/store/tables/corpus-loading';

/** Longer than a job usually waits in the queue. A duplicate job does nothing. */
const LOST_AFTER_MS = 5 * 60_000;
const UNUSED_AFTER_MS = 24 * 3600_000;
const BATCH = 200;

/** Requeues sources whose job was lost, and deletes uploads that no source took within a day. */
export async function keepCorporaUp({ db, log }: { db: Database; log: Logger }): Promise<void> {
  const ordered = await orderLostLoading(db, LOST_AFTER_MS, BATCH);
  if (ordered > 0) log.warn({ sources: ordered }, 'corpus source jobs lost; requeued');
  const deleted = await deleteUnusedUploads(db, UNUSED_AFTER_MS, BATCH);
  if (deleted > 0) log.info({ uploads: deleted }, 'unused uploads deleted');
}
