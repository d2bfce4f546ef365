import { AppError, toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { failOnUnhandledRejection } from '@calls/foundation/unhandled-rejections';
import { openRedis } from '../open-redis.ts';
import type { Tracing } from '@calls/telemetry/tracing/span';
import { UnrecoverableError, Worker, type Job as QueuedJob } from 'bullmq';
import { queueName, queuePrefix } from './job-queue.ts';
import { JOB_KINDS, parseJob, type JobContext, type JobHandlers, type JobKind, type JobOf } from './jobs.ts';
import { inJobSpan } from './traced-job.ts';

export interface JobWorkersOptions {
  redisUrl: string;
  handlers: JobHandlers;
  /** Maximum number of jobs of each kind that run at the same time. */
  concurrency: number;
  /** Overrides by kind. */
  concurrencyOf?: Partial<Record<JobKind, number>>;
  /** A job that runs longer fails, and its signal aborts. */
  limitMs: number;
  tracing: Tracing;
  log: Logger;
  onDone?: (kind: JobKind, outcome: 'done' | 'failed' | 'retried', durationMs: number) => void;
}

/**
 * A running job's lock is renewed; jobs of a killed process are picked up within 25 s. That does not count as
 * a failure until several processes have died while running the job.
 */
const RECOVERY = { lockDuration: 15_000, stalledInterval: 10_000, maxStalledCount: 20 };

/**
 * Runs the jobs of every kind. Throws if a kind has no handler. An error with `retryable: false` ends the
 * job; any other failure is retried a limited number of times with growing pauses. Disposal awaits running
 * jobs.
 */
export function startJobWorkers(options: JobWorkersOptions): AsyncDisposable {
  const { handlers, log } = options;
  const missing = JOB_KINDS.filter((kind) => typeof handlers[kind] !== 'function');
  if (missing.length > 0)
    throw new AppError('no_handler', `no handler for jobs of kind ${missing.join(', ')}`);
  const redis = openRedis({ url: options.redisUrl, name: 'job-workers', failFast: false, log });
  const workers = JOB_KINDS.map((kind) => {
    const worker = new Worker<unknown>(
      queueName(kind),
      (queued) => inJobSpan(options.tracing, queued, () => runJob(queued, options)),
      {
        connection: redis,
        prefix: queuePrefix(redis, kind),
        concurrency: options.concurrencyOf?.[kind] ?? options.concurrency,
        ...RECOVERY,
        skipVersionCheck: true,
      },
    );
    worker.on('error', (err) => log.debug({ kind, err: toError(err) }, 'job worker error'));
    return worker;
  });
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.close()));
      redis.disconnect();
    },
  };
}

async function runJob(queued: QueuedJob<unknown>, options: JobWorkersOptions): Promise<void> {
  const { log } = options;
  const job = parseJob(queued.data);
  if (!job) {
    log.error({ jobId: queued.id, queue: queued.queueName }, 'malformed job dropped');
    throw new UnrecoverableError('malformed job');
  }
  const startMs = performance.now();
  const attempt = queued.attemptsMade + 1;
  const isLastAttempt = attempt >= (queued.opts.attempts ?? 1);
  const done = (outcome: 'done' | 'failed' | 'retried'): void =>
    options.onDone?.(job.kind, outcome, performance.now() - startMs);
  try {
    const signal = AbortSignal.timeout(options.limitMs);
    const context = { jobId: queued.id ?? '', attempt, isLastAttempt, signal };
    await failOnUnhandledRejection(() => handle(options.handlers, job, context));
    done('done');
  } catch (thrown) {
    const err = toError(thrown);
    const final = isPermanent(thrown) || isLastAttempt;
    const fields = { jobId: queued.id, kind: job.kind, attempt, err };
    if (final) log.error(fields, 'job failed permanently');
    else log.warn(fields, 'job failed; will be retried');
    done(final ? 'failed' : 'retried');
    throw isPermanent(thrown) ? new UnrecoverableError(err.message) : err;
  }
}

function handle<K extends JobKind>(handlers: JobHandlers, job: JobOf<K>, context: JobContext): Promise<void> {
  return handlers[job.kind](job, context);
}

function isPermanent(thrown: unknown): boolean {
  return thrown instanceof AppError && !thrown.retryable;
}
