import { systemClock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { openJobQueue, type JobQueue } from '@calls/redis/queues/job-queue';
import { startJobWorkers } from '@calls/redis/queues/job-workers';
import type { Job, JobHandlers } from '@calls/redis/queues/jobs';
import { openRateLimits, type SharedRateLimits } from '@calls/redis/rate-limits/shared-rate-limits';
import { idsOnly } from '@calls/telemetry/tracing/create-tracing';

/** The Redis clients of the services. */
export interface RedisClients extends AsyncDisposable {
  readonly limits: SharedRateLimits;
  readonly queue: JobQueue;
  /** Ids of completed jobs. */
  readonly done: ReadonlySet<string>;
}

export async function openRedisClients(redisUrl: string): Promise<RedisClients> {
  const log = silentLogger;
  const done = new Set<string>();
  const handle = (_: Job, { jobId }: { jobId: string }): Promise<void> => {
    done.add(jobId);
    return Promise.resolve();
  };
  const handlers: JobHandlers = {
    summarize_call: handle,
    analyze_call: handle,
    delete_objects: handle,
    finish_call_objects: handle,
    load_corpus_source: handle,
    serve_receiver: handle,
    serve_failing_receiver: handle,
  };
  const limits = await openRateLimits({ redisUrl, clock: systemClock, log });
  const queue = await openJobQueue({ redisUrl, log });
  const workers = startJobWorkers({
    redisUrl,
    handlers,
    concurrency: 2,
    limitMs: 10_000,
    tracing: idsOnly,
    log,
  });
  return {
    limits,
    queue,
    done,
    async [Symbol.asyncDispose]() {
      await workers[Symbol.asyncDispose]();
      await queue[Symbol.asyncDispose]();
      await limits[Symbol.asyncDispose]();
    },
  };
}

export function someJobs(): Job[] {
  return [
    { kind: 'summarize_call', callId: newId() },
    { kind: 'delete_objects', keys: ['a'] },
    { kind: 'load_corpus_source', sourceId: newId(), revision: 1 },
    { kind: 'serve_receiver', receiverId: newId() },
  ];
}
