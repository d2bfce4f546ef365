import type { JobQueue } from '@calls/redis/queues/job-queue';
import { parseJob, type JobKind } from '@calls/redis/queues/jobs';
import type { Logger } from '@calls/foundation/logger';
import { parseTraceparent, runInTrace } from '@calls/foundation/trace-context';
import type { Receivers } from './webhooks/receivers.ts';
import type { Database } from '@calls/store/store';
import { claimOutbox, deleteOutbox, type OutboxEntry } from '@calls/store/tables/outbox';

const CLAIM_MS = 30_000;
const BATCH = 100;
/** The maintenance task finds the work of lost jobs of these kinds. */
const SWEPT: ReadonlySet<JobKind> = new Set(['serve_receiver', 'load_corpus_source']);

/**
 * Moves due jobs from the outbox to the queue. The row's id is the job's id, so the queue holds each job
 * once. Redis may lose the last second of acknowledged writes: rows of jobs that no sweep replaces stay in
 * the outbox, and their jobs are added again after CLAIM_MS. A receiver named by several rows is served once,
 * by this process if it already serves it.
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
    const entries = await claimOutbox(db, { topic: 'job', claimMs: CLAIM_MS, limit: BATCH });
    const looked = new Set<string>();
    /** Returns the row if it is finished. */
    const relay = async ({ outboxId, payload, trace, attempts }: OutboxEntry): Promise<string[]> => {
      const job = parseJob(payload);
      if (!job) {
        log.error({ outboxId }, 'unknown job in outbox row; row dropped');
        return [outboxId];
      }
      if (job.kind === 'serve_receiver') {
        if (looked.has(job.receiverId)) return [outboxId];
        looked.add(job.receiverId);
        if (receivers.ring(job.receiverId)) return [outboxId];
      }
      await runInTrace(parseTraceparent(trace ?? undefined), () => queue.add(outboxId, job));
      return SWEPT.has(job.kind) || attempts > 1 ? [outboxId] : [];
    };
    const done = await Promise.all(entries.map(relay));
    await deleteOutbox(db, done.flat());
    if (entries.length < BATCH) return;
  }
}
