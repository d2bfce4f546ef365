import { parseJob, type JobQueue } from '@calls/delivery';
import { parseTraceparent, runInTrace, type Logger } from '@calls/foundation';
import type { Receivers } from './webhooks/receivers.ts';
import { claimOutbox, deleteOutbox, type Database, type OutboxEntry } from '@calls/store';

const HOLD_MS = 30_000;
const BATCH = 100;

/**
 * Moves due jobs from the outbox to the queue: at least once, and once in the queue as the row's id is the job's. A receiver
 * that several rows name is looked after once, by nobody else where this process is at it.
 */
export async function relayJobs(parts: {
  db: Database;
  queue: JobQueue;
  receivers: Pick<Receivers, 'ring'>;
  log: Logger;
}): Promise<void> {
  const { db, queue, receivers, log } = parts;
  await queue.ping();
  for (;;) {
    const entries = await claimOutbox(db, { topic: 'job', holdMs: HOLD_MS, limit: BATCH });
    const looked = new Set<string>();
    const relay = async ({ outboxId, payload, trace }: OutboxEntry): Promise<void> => {
      const job = parseJob(payload);
      if (!job) {
        log.error({ outboxId }, 'outbox row is no job of this version, dropped');
        return;
      }
      if (job.kind === 'serve_receiver') {
        if (looked.has(job.receiverId)) return;
        looked.add(job.receiverId);
        if (receivers.ring(job.receiverId)) return;
      }
      await runInTrace(parseTraceparent(trace ?? undefined), () => queue.add(outboxId, job));
    };
    await Promise.all(entries.map(relay));
    await deleteOutbox(
      db,
      entries.map((entry) => entry.outboxId),
    );
    if (entries.length < BATCH) return;
  }
}
