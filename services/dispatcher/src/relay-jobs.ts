import { parseJob, type JobQueue } from '@calls/delivery';
import { parseTraceparent, runInTrace, type Logger } from '@calls/foundation';
import { claimOutbox, deleteOutbox, type Database } from '@calls/store';

const HOLD_MS = 30_000;
const BATCH = 100;

/** Moves due jobs from the outbox to the queue: at least once, and once in the queue as the row's id is the job's. */
export async function relayJobs(parts: { db: Database; queue: JobQueue; log: Logger }): Promise<void> {
  const { db, queue, log } = parts;
  await queue.ping();
  for (;;) {
    const entries = await claimOutbox(db, { topic: 'job', holdMs: HOLD_MS, limit: BATCH });
    for (const { outboxId, payload, trace } of entries) {
      const job = parseJob(payload);
      if (job) await runInTrace(parseTraceparent(trace ?? undefined), () => queue.add(outboxId, job));
      else log.error({ outboxId }, 'outbox row is no job of this version, dropped');
      await deleteOutbox(db, [outboxId]);
    }
    if (entries.length < BATCH) return;
  }
}
