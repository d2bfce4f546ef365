import { AppError, toError, type Logger } from '@calls/foundation';
import { openRedis } from '@calls/redis';
import { Queue } from 'bullmq';
import { JOB_KINDS, type Job, type JobKind } from './jobs.ts';
import { withCurrentTrace } from './traced-job.ts';

/** Redis can't be reached. */
export class QueueUnavailableError extends AppError {
  constructor(cause: unknown) {
    super('queue_unavailable', 'the job queue is not available', { retryable: true, cause });
  }
}

export interface JobQueue extends AsyncDisposable {
  /** Resolves when the job is stored, with the current trace. A job with an id that the queue knows is not added again. */
  add(jobId: string, job: Job): Promise<void>;
  ping(): Promise<void>;
}

/** After the first try: some 5 s, 10 s, 20 s … 160 s later. */
const RETRIES = { attempts: 6, backoff: { type: 'exponential', delay: 5000, jitter: 0.2 } };
/** Ten, over eight and a half hours where the first comes after 30 s. */
const WEBHOOK_RETRIES = 10;
const FIRST_WEBHOOK_RETRY_MS = 30_000;
/** How long done jobs are known, so that they aren't added again. */
const KEEP_DONE = { age: 3600, count: 10_000 };
const KEEP_FAILED = { age: 7 * 24 * 3600, count: 10_000 };

/** Each kind has a queue of its own: a slow kind doesn't hold the others up. */
export function queueName(kind: JobKind): string {
  return `jobs_${kind}`;
}

/** `firstWebhookRetryMs`: the pause after the first failed delivery of a webhook; it doubles with each. */
export async function openJobQueue(options: {
  redisUrl: string;
  log: Logger;
  firstWebhookRetryMs?: number;
}): Promise<JobQueue> {
  const { log, firstWebhookRetryMs = FIRST_WEBHOOK_RETRY_MS } = options;
  const redis = openRedis({ url: options.redisUrl, name: 'job-queue', failFast: true, log });
  await redis.connect().catch((thrown: unknown) => {
    redis.disconnect();
    throw new QueueUnavailableError(thrown);
  });
  const webhookRetries = {
    attempts: 1 + WEBHOOK_RETRIES,
    backoff: { type: 'exponential', delay: firstWebhookRetryMs },
  };
  const queues = new Map(
    JOB_KINDS.map((kind) => {
      const queue = new Queue<Job>(queueName(kind), {
        connection: redis,
        skipVersionCheck: true,
        defaultJobOptions: {
          ...(kind === 'deliver_webhook' ? webhookRetries : RETRIES),
          removeOnComplete: KEEP_DONE,
          removeOnFail: KEEP_FAILED,
        },
      });
      queue.on('error', (err) => log.debug({ queue: kind, err: toError(err) }, 'job queue fault'));
      return [kind, queue] as const;
    }),
  );
  return {
    async add(jobId, job) {
      try {
        await queues.get(job.kind)?.add(job.kind, job, { jobId, ...withCurrentTrace() });
      } catch (thrown) {
        throw new QueueUnavailableError(thrown);
      }
    },
    async ping() {
      await redis.ping().catch((thrown: unknown) => {
        throw new QueueUnavailableError(thrown);
      });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      redis.disconnect();
    },
  };
}
