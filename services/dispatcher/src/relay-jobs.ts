import type { JobQueue } from '@calls/redis/queues/job-queue';
import { parseJob, type JobKind } from '@calls/redis/queues/jobs';
import type { Logger } from '@calls/foundation/logger';
import { parseTraceparent, runInTrace } from '@calls/foundation/trace-context';
import type { Receivers } from './webhooks/receivers.ts';
import type { Database } from '@calls/store/store';
import { claimOutbox, deleteOutbox, type OutboxEntry } from '@calls/store/tables/outbox';

const HOLD_MS = 30_000;
const BATCH = 100;
/** A sweep finds what these left undone. */
const MISSED: ReadonlySet<JobKind> = new Set(['serve_receiver', 'load_corpus_source']);

/**
 * Moves due jobs from the outbox to the queue, where they are once, as the row's id is the job's. Redis may lose the last second
 * of what it said it had: rows of jobs that nothing else would miss are kept, and the jobs added once more after HOLD_MS. A receiver
 * that several rows name is looked after once, by nobody else where this process is at it.
 */
export async function relayJobs(deps: {
  db: Database;
  queue: JobQueue;
  receivers: Pick<Receivers, 'ring'>;
  log: Logger;
}): Promise<void> {
  const { db, queue, receivers, log } = deps;
  await queue.ping();
  for (;;) {
    const entries = await claimOutbox(db, { topic: 'job', holdMs: HOLD_MS, limit: BATCH });
    const looked = new Set<string>();
    /** The row where it is done with. */
    const relay = async ({ outboxId, payload, trace, attempts }: OutboxEntry): Promise<string[]> => {
      const job = parseJob(payload);
      if (!job) {
        log.error({ outboxId }, 'outbox row is no job of this version, dropped');
        return [outboxId];
      }
      if (job.kind === 'serve_receiver') {
        if (looked.has(job.receiverId)) return [outboxId];
        looked.add(job.receiverId);
        if (receivers.ring(job.receiverId)) return [outboxId];
      }
      await runInTrace(parseTraceparent(trace ?? undefined), () => queue.add(outboxId, job));
      return MISSED.has(job.kind) || attempts > 1 ? [outboxId] : [];
    };
    const done = await Promise.all(entries.map(relay));
    await deleteOutbox(db, done.flat());
    if (entries.length < BATCH) return;
  }
}
