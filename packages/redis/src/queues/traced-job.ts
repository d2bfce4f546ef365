import { currentTraceparent, parseTraceparent } from '@calls/foundation/trace-context';
import { inSpan, type Tracing } from '@calls/telemetry/tracing/span';
import type { Job as QueuedJob, JobsOptions } from 'bullmq';

/** Adds the current trace to the job's options. */
export function withCurrentTrace(): Pick<JobsOptions, 'telemetry'> {
  const metadata = currentTraceparent();
  return metadata === undefined ? {} : { telemetry: { metadata } };
}

/** Runs an attempt of a job as part of the job's trace. */
export function inJobSpan(
  tracing: Tracing,
  queued: QueuedJob<unknown>,
  run: () => Promise<void>,
): Promise<void> {
  const callId = callIdOf(queued.data);
  return inSpan(
    tracing,
    `job ${queued.name}`,
    {
      kind: 'consumer',
      parent: parseTraceparent(queued.opts.telemetry?.metadata),
      attributes: {
        'job.kind': queued.name,
        'job.attempt': queued.attemptsMade + 1,
        ...(callId !== null && { 'call.id': callId }),
      },
    },
    run,
  );
}

function callIdOf(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('callId' in data)) return null;
  return typeof data.callId === 'string' ? data.callId : null;
}
