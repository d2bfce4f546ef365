import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { isScriptedModel } from '@calls/providers/config/catalogue';
import type { ProviderConfig } from '@calls/providers/config/provider-config';
import { createProviders } from '@calls/providers/registry';
import { startJobWorkers } from '@calls/redis/queues/job-workers';
import { JOB_KINDS } from '@calls/redis/queues/jobs';
import { LATENCY_BUCKETS_MS } from '@calls/telemetry/metrics';
import { analyzeCall } from '../analyses/analyze-call.ts';
import type { DispatcherConfig } from '../config.ts';
import { loadSource } from '../corpora/load-source.ts';
import { deleteObjects, finishCallObjects } from '../retention/retention.ts';
import { summarizeCall } from '../summaries/summarize-call.ts';
import { deliver } from '../webhooks/deliver.ts';
import { deliveryMetrics } from '../webhooks/delivery-metrics.ts';
import { Receivers } from '../webhooks/receivers.ts';
import type { Infrastructure } from './infrastructure.ts';

const JOB_LIMIT_MS = 60_000;
/**
 * Minimum time limit for the first token. A long transcript delays it, and no caller waits for it. Leaves time for a
 * fallback.
 */
const MIN_FIRST_TOKEN_TIMEOUT_MS = 25_000;
/** Maximum number of loading jobs, because each may start a process that reads documents and needs much memory. */
const MAX_LOADING = 2;

/** Runs the jobs of the queue. */
export function startJobs(
  config: Pick<
    DispatcherConfig,
    'providers' | 'redisUrl' | 'concurrency' | 'receiverConcurrency' | 'firstWebhookRetryMs'
  >,
  deps: Infrastructure,
): Promise<Capability<{ receivers: Receivers }>> {
  const { db, queue, outbound, storage, metrics, tracing, clock, log } = deps;
  const { redisUrl, concurrency, receiverConcurrency, firstWebhookRetryMs: firstRetryMs } = config;
  return startCapability(log, (components) => {
    const { languageModel } = components.own(
      'providers',
      createProviders(withoutCaller(config.providers), { clock, log, outbound }),
    );
    const isScript = (model: string): boolean => isScriptedModel(config.providers, model);
    const delivering = { ...deps, firstRetryMs, onDone: deliveryMetrics(metrics) };
    const receivers = new Receivers({
      db,
      queue,
      clock,
      log,
      deliver: (delivery) => deliver(delivering, delivery),
      slots: receiverConcurrency,
    });
    const jobDuration = metrics.histogram({
      name: 'job_duration_ms',
      help: 'Duration of job attempts: `done`, `retried` or `failed`',
      labels: ['kind', 'outcome'],
      buckets: LATENCY_BUCKETS_MS,
      zero: JOB_KINDS.map((kind) => ({ kind, outcome: 'failed' })),
    });
    components.own(
      'job workers',
      startJobWorkers({
        redisUrl,
        concurrency,
        concurrencyOf: {
          load_corpus_source: MAX_LOADING,
          serve_receiver: receiverConcurrency,
          serve_failing_receiver: Math.ceil(receiverConcurrency / 2),
        },
        limitMs: JOB_LIMIT_MS,
        tracing,
        log,
        handlers: {
          summarize_call: (job, { signal }) => summarizeCall({ db, languageModel }, job.callId, signal),
          analyze_call: (job, context) => analyzeCall({ ...deps, languageModel, isScript }, job, context),
          delete_objects: (job) => deleteObjects(storage, job.keys),
          finish_call_objects: (job) => finishCallObjects({ db, storage, clock }, job),
          load_corpus_source: (job, { signal }) => loadSource(deps, job, signal),
          serve_receiver: ({ kind, receiverId }, { jobId }) => receivers.serve(kind, receiverId, jobId),
          serve_failing_receiver: ({ kind, receiverId }, { jobId }) =>
            receivers.serve(kind, receiverId, jobId),
        },
        onDone: (kind, outcome, durationMs) => jobDuration.observe({ kind, outcome }, durationMs),
      }),
    );
    // Stops before the jobs are awaited.
    components.own('receivers', receivers);
    return { receivers };
  });
}

function withoutCaller(config: ProviderConfig): ProviderConfig {
  const { limits } = config;
  const llmFirstTokenTimeoutMs = Math.max(limits.llmFirstTokenTimeoutMs, MIN_FIRST_TOKEN_TIMEOUT_MS);
  return { ...config, limits: { ...limits, llmFirstTokenTimeoutMs } };
}
