import type { Logger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { deleteUnusedUploads } from '@calls/store/tables/corpus-documents';
import { orderLostLoading } from '@calls/store/tables/corpus-loading';

/** Longer than a job waits for its turn on a usual day; one too many does nothing. */
const LOST_AFTER_MS = 5 * 60_000;
const UNUSED_AFTER_MS = 24 * 3600_000;
const BATCH = 200;

/** Mends what a lost queue or a killed process left behind, and deletes uploads that no source took within a day. */
export async function keepCorporaUp({ db, log }: { db: Database; log: Logger }): Promise<void> {
  const ordered = await orderLostLoading(db, LOST_AFTER_MS, BATCH);
  if (ordered > 0) log.warn({ sources: ordered }, 'loading of corpus sources was lost, and is ordered anew');
  const deleted = await deleteUnusedUploads(db, UNUSED_AFTER_MS, BATCH);
  if (deleted > 0) log.info({ uploads: deleted }, 'unused uploads deleted');
}
