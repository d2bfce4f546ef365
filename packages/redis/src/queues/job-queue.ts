import { AppError, toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { connectRedis, openRedis, type RedisConnection } from '../open-redis.ts';
import { Queue, type DefaultJobOptions } from 'bullmq';
import { JOB_KINDS, type Job, type JobKind } from './jobs.ts';
import { withCurrentTrace } from './traced-job.ts';

/** Redis is unreachable, or rejects commands. */
class QueueUnavailableError extends AppError {
  constructor(cause: unknown) {
    super('queue_unavailable', 'the job queue is not available', { retryable: true, cause });
  }
}

/** Unfinished jobs. */
export interface QueueDepth {
  waiting: number;
  delayed: number;
  active: number;
}

export interface JobQueue extends AsyncDisposable {
  /**
   * Resolves when the job is stored, with the current trace. It runs after `delayMs` at the earliest. A job
   * whose id is in the queue is not added again.
   */
  add(jobId: string, job: Job, delayMs?: number): Promise<void>;
  depths(): Promise<Map<JobKind, QueueDepth>>;
  /** Rejects if Redis cannot be reached or does not accept writes. */
  ping(): Promise<void>;
}

/** Retries after about 5 s, 10 s, 20 s … 160 s. */
const RETRIES = { attempts: 6, backoff: { type: 'exponential', delay: 5000, jitter: 0.2 } };
/** How long finished jobs are remembered, so that they are not added again. */
const KEEP_DONE = { age: 3600, count: 10_000 };
const KEEP_FAILED = { age: 7 * 24 * 3600, count: 10_000 };
const LASTING: DefaultJobOptions = { ...RETRIES, removeOnComplete: KEEP_DONE, removeOnFail: KEEP_FAILED };
/** For jobs that only point to work in the database. A sweep finds the work if a job is lost. */
const HINT: DefaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };
/** For jobs that a sweep adds again until their work is done, with their retries. */
const SWEPT: DefaultJobOptions = { ...RETRIES, removeOnComplete: true, removeOnFail: true };
/** Written to detect a server that responds but cannot write. */
const PROBE_KEY = 'bull:probe';
const OPTIONS: Partial<Record<JobKind, DefaultJobOptions>> = {
  serve_receiver: HINT,
  serve_failing_receiver: HINT,
  analyze_call: SWEPT,
};

/** Each kind has its own queue, so a slow kind does not block others. */
export function queueName(kind: JobKind): string {
  return `jobs_${kind}`;
}

/** Where the keys of a queue begin. On a Redis Cluster the braces keep them in one slot, as BullMQ requires. */
export function queuePrefix(redis: RedisConnection, kind: JobKind): string {
  return redis.isCluster ? `{${queueName(kind)}}` : 'bull';
}

export async function openJobQueue(options: { redisUrl: string; log: Logger }): Promise<JobQueue> {
  const { log } = options;
  const redis = openRedis({ url: options.redisUrl, name: 'job-queue', failFast: true, log });
  await connectRedis(redis).catch((thrown: unknown) => {
    redis.disconnect();
    throw new QueueUnavailableError(thrown);
  });
  void warnOfEviction(redis, log);
  const queues = new Map(
    JOB_KINDS.map((kind) => {
      const queue = new Queue<Job>(queueName(kind), {
        connection: redis,
        prefix: queuePrefix(redis, kind),
        skipVersionCheck: true,
        defaultJobOptions: OPTIONS[kind] ?? LASTING,
      });
      queue.on('error', (err) => log.debug({ queue: kind, err: toError(err) }, 'job queue error'));
      return [kind, queue] as const;
    }),
  );
  return {
    async add(jobId, job, delayMs = 0) {
      try {
        await queues.get(job.kind)?.add(job.kind, job, { jobId, delay: delayMs, ...withCurrentTrace() });
      } catch (thrown) {
        throw new QueueUnavailableError(thrown);
      }
    },
    async depths() {
      const depthOf = async (kind: JobKind, queue: Queue<Job>): Promise<[JobKind, QueueDepth]> => {
        const counts = await queue.getJobCounts('waiting', 'delayed', 'active');
        const { waiting = 0, delayed = 0, active = 0 } = counts;
        return [kind, { waiting, delayed, active }];
      };
      try {
        return new Map(await Promise.all([...queues].map(([kind, queue]) => depthOf(kind, queue))));
      } catch (thrown) {
        throw new QueueUnavailableError(thrown);
      }
    },
    async ping() {
      await redis.set(PROBE_KEY, '', 'PX', 1).catch((thrown: unknown) => {
        throw new QueueUnavailableError(thrown);
      });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      redis.disconnect();
    },
  };
}

/** A Redis that evicts keys when its memory is full loses jobs without an error. */
async function warnOfEviction(redis: RedisConnection, log: Logger): Promise<void> {
  // Credentials may lack the permission.
  const info = await redis.info('memory').catch(() => '');
  const policy = /^maxmemory_policy:(\S+)/mu.exec(info)?.[1] ?? 'noeviction';
  if (policy !== 'noeviction')
    log.warn({ policy }, 'redis may evict jobs; set maxmemory-policy to noeviction');
}
