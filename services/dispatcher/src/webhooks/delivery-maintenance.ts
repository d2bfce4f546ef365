import type { JobQueue } from '@calls/redis/queues/job-queue';
import type { Logger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { expireDeliveries, pruneDeliveries, waitingReceivers } from '@calls/store/tables/delivery-runs';

/** How long a receiver may wait for its job: longer than a job waits in a healthy queue. */
const WAITING_FOR_MS = 2000;
const MAX_RECEIVERS = 1000;
/** Delivered events are remembered long after the call's end, so that a late duplicate event is not delivered again. */
const KEEP_DELIVERED_MS = 24 * 3600_000;
const KEEP_DEAD_MS = 14 * 24 * 3600_000;
const BATCH = 1000;
const GIVEN_UP = 'it was not attempted in time: earlier deliveries took too long';

/** Requeues receivers if their job was lost or their process crashed. */
export async function requeueStuckReceivers(db: Database, queue: JobQueue): Promise<void> {
  const receivers = await waitingReceivers(db, { forMs: WAITING_FOR_MS, limit: MAX_RECEIVERS });
  await Promise.all(
    receivers.map((receiverId) => queue.add(`sweep_${receiverId}`, { kind: 'serve_receiver', receiverId })),
  );
}

/** Gives up deliveries past their deadline, and deletes those that finished long ago. */
export async function clearDeliveries(
  { db, log }: { db: Database; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const givenUp = await expireDeliveries(db, GIVEN_UP, BATCH);
    if (givenUp > 0) log.warn({ deliveries: givenUp }, 'gave up on deliveries');
    const keep = { deliveredMs: KEEP_DELIVERED_MS, deadMs: KEEP_DEAD_MS, limit: BATCH };
    const pruned = await pruneDeliveries(db, keep);
    if (givenUp < BATCH && pruned < BATCH) return;
  }
}
