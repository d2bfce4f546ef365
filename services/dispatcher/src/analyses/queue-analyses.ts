import type { JobQueue } from '@calls/redis/queues/job-queue';
import type { Database } from '@calls/store/store';
import { claimAnalysisRequests } from '@calls/store/tables/call-analyses';

/** Lost jobs are added again after this time. A job that is in the queue is not added again. */
const CLAIM_MS = 60_000;
const BATCH = 100;

/** Queues the jobs of due analysis requests. Requests stay in the database until they are completed, so no job is lost. */
export async function queueAnalyses(
  { db, queue }: { db: Database; queue: JobQueue },
  signal: AbortSignal,
): Promise<void> {
  await queue.ping();
  while (!signal.aborted) {
    const runs = await claimAnalysisRequests(db, { claimMs: CLAIM_MS, limit: BATCH });
    await Promise.all(runs.map((run) => queue.add(run.runId, { kind: 'analyze_call', ...run })));
    if (runs.length < BATCH) return;
  }
}
