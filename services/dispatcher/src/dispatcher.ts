import { AgentCallCreator } from '@calls/call-lifecycle/creation/agent-call-creator';
import { CallCreator, type CallPublisher } from '@calls/call-lifecycle/creation/call-creator';
import { createCallNotifications } from '@calls/call-lifecycle/notifications/call-notifications';
import { createCallView } from '@calls/call-lifecycle/notifications/call-view';
import { openJobQueue } from '@calls/redis/queues/job-queue';
import { startJobWorkers } from '@calls/redis/queues/job-workers';
import { systemClock } from '@calls/foundation/clock';
import { Disposables } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { FileStorage } from '@calls/object-storage/file-storage';
import { createOutboundHttp } from '@calls/outbound-http/outbound-http';
import { modelNames } from '@calls/providers/config/catalogue';
import { createProviders } from '@calls/providers/registry';
import { openRateLimits } from '@calls/redis/rate-limits/shared-rate-limits';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import { assertMigrated } from '@calls/store/migrate';
import { openStore } from '@calls/store/store';
import { createMetrics, LATENCY_BUCKETS_MS } from '@calls/telemetry/metrics';
import { startMetricsServer } from '@calls/telemetry/metrics-server';
import { createTracing } from '@calls/telemetry/tracing/create-tracing';
import { createChecksOf } from '@calls/untrusted-work/untrusted-checks';
import type { DispatcherConfig } from './config.ts';
import { keepCorporaUp } from './corpora/corpus-upkeep.ts';
import { loadSource } from './corpora/load-source.ts';
import { deleteObjects } from './delete-objects.ts';
import { relayJobs } from './relay-jobs.ts';
import { clearUnfinished } from './retention/clear-unfinished.ts';
import { deleteBilledCalls } from './retention/delete-billed-calls.ts';
import { finishCallObjects } from './retention/finish-call-objects.ts';
import { runDueBatches } from './scheduled-batches/run-due-batches.ts';
import { summarizeCall } from './summaries/summarize-call.ts';
import { createDispatcherWork } from './untrusted-work/dispatcher-work.ts';
import { deliver } from './webhooks/deliver.ts';
import { backlogMetrics, deliveryMetrics } from './webhooks/delivery-metrics.ts';
import { clearDeliveries, sweepReceivers } from './webhooks/delivery-upkeep.ts';
import { Receivers } from './webhooks/receivers.ts';

const RELAY_INTERVAL_MS = 100;
const RECEIVER_SWEEP_INTERVAL_MS = 5000;
const DELIVERY_CLEARING_INTERVAL_MS = 60_000;
const BACKLOG_INTERVAL_MS = 15_000;
const JOB_LIMIT_MS = 60_000;
const CORPUS_UPKEEP_INTERVAL_MS = 30_000;
/** Each loading job may start a process that reads documents and needs much memory. */
const MAX_LOADING = 2;
/** Shared by all receivers; their statements are short. */
const DELIVERY_CONNECTIONS = 6;
const RETENTION_INTERVAL_MS = 1000;
const CLEARING_INTERVAL_MS = 3600_000;
const BATCHES_INTERVAL_MS = 250;
/** Maximum number of scheduled batches whose calls are created at the same time. */
const BATCH_LANES = 4;

/** Leaves created calls to the control-plane's relay. */
const relayed: CallPublisher = { ready: true, relayDelayMs: 0, publish: () => Promise.resolve() };

export interface Dispatcher extends AsyncDisposable {
  readonly metricsPort: number;
}

/** Creates and starts the service. Rejects if a dependency is unavailable at the start. */
export async function createDispatcher(config: DispatcherConfig, log: Logger): Promise<Dispatcher> {
  const disposables = new Disposables(log);
  const own = <T extends AsyncDisposable>(name: string, part: T): T => {
    disposables.add(name, () => part[Symbol.asyncDispose]());
    return part;
  };
  try {
    const metrics = createMetrics({ service: 'dispatcher' });
    const tracing = own('tracing', await createTracing(config.tracing, { metrics, log }));
    const store = own(
      'store',
      openStore({
        url: config.databaseUrl,
        name: 'dispatcher',
        poolSize: config.concurrency + BATCH_LANES + DELIVERY_CONNECTIONS + 3,
        log,
      }),
    );
    const { db } = store;
    await assertMigrated(db);
    const { redisUrl, mediaPublicUrl, receiverConcurrency } = config;
    const queue = own('job queue', await openJobQueue({ redisUrl, log }));
    const rateLimits = own('rate limits', await openRateLimits({ redisUrl, clock: systemClock, log }));
    const outbound = own('outbound http', createOutboundHttp(config.outbound));
    const { languageModel } = own(
      'providers',
      createProviders(config.providers, { clock: systemClock, log, outbound }),
    );
    const storage = new FileStorage(config.objectStorage.directory);
    const secretBox = createSecretBox(config.encryptionKeys);
    const tokens = createJoinTokens(config.joinTokenSecrets);
    const callView = createCallView({ mediaPublicUrl, tokens, secretBox });
    const untrustedWork = own('untrusted work', createDispatcherWork(log));
    const calls = new CallCreator({
      db,
      clock: systemClock,
      secretBox,
      outbound,
      models: modelNames,
      voiceAliases: config.voiceAliases,
      rateLimits,
      planLimits: config.planLimits,
      notifications: createCallNotifications({ secretBox, callView }),
      // The dispatcher does not track media workers; a call waits for a worker that supports WebRTC.
      webRtcFault: () => Promise.resolve(null),
      publisher: relayed,
      checksOf: createChecksOf(untrustedWork),
      tracing,
    });
    const agentCalls = new AgentCallCreator({ db, secretBox, calls });
    const limitsAreShared = (): boolean => !rateLimits.degraded;
    const loading = { db, storage, outbound, untrustedWork, clock: systemClock, log };

    const jobDuration = metrics.histogram({
      name: 'job_duration_ms',
      help: 'Run time of a job.',
      labels: ['kind', 'outcome'],
      buckets: LATENCY_BUCKETS_MS,
    });
    const delivering = {
      db,
      outbound,
      secretBox,
      clock: systemClock,
      firstRetryMs: config.firstWebhookRetryMs,
      tracing,
      log,
      onDone: deliveryMetrics(metrics),
    };
    const receivers = new Receivers({
      db,
      queue,
      clock: systemClock,
      log,
      deliver: (delivery) => deliver(delivering, delivery),
      places: receiverConcurrency,
    });
    const checks = { database: () => store.ping(), queue: () => queue.ping() };
    const server = own(
      'metrics server',
      await startMetricsServer({ port: config.metricsPort, metrics, checks }),
    );
    own(
      'job workers',
      startJobWorkers({
        redisUrl,
        concurrency: config.concurrency,
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
          delete_objects: (job) => deleteObjects(storage, job.keys),
          finish_call_objects: (job) => finishCallObjects({ db, storage, clock: systemClock }, job),
          load_corpus_source: (job, { signal }) => loadSource(loading, job, signal),
          serve_receiver: ({ kind, receiverId }, { jobId }) => receivers.serve(kind, receiverId, jobId),
          serve_failing_receiver: ({ kind, receiverId }, { jobId }) =>
            receivers.serve(kind, receiverId, jobId),
        },
        onDone: (kind, outcome, durationMs) => jobDuration.observe({ kind, outcome }, durationMs),
      }),
    );
    // Stopped before the jobs are awaited.
    own('receivers', receivers);
    const task = (name: string, intervalMs: number, run: (signal: AbortSignal) => Promise<void>): void => {
      own(name, startPeriodicTask({ name, intervalMs, clock: systemClock, log, run }));
    };
    task('job relay', RELAY_INTERVAL_MS, () => relayJobs({ db, queue, receivers, log }));
    task('receiver sweep', RECEIVER_SWEEP_INTERVAL_MS, () => sweepReceivers(db, queue));
    task('finished deliveries', DELIVERY_CLEARING_INTERVAL_MS, (signal) =>
      clearDeliveries({ db, log }, signal),
    );
    task('backlog metrics', BACKLOG_INTERVAL_MS, backlogMetrics(metrics, { db, queue }));
    task('corpus upkeep', CORPUS_UPKEEP_INTERVAL_MS, () => keepCorporaUp({ db, log }));
    task('scheduled batches', BATCHES_INTERVAL_MS, (signal) =>
      runDueBatches({ db, secretBox, agentCalls, limitsAreShared, log }, BATCH_LANES, signal),
    );
    task('unfinished objects', CLEARING_INTERVAL_MS, (signal) =>
      clearUnfinished({ db, storage, clock: systemClock, log }, signal),
    );
    task('billed calls', RETENTION_INTERVAL_MS, (signal) => deleteBilledCalls({ db, log }, signal));
    log.info({ metricsPort: server.port }, 'dispatcher started');
    return { metricsPort: server.port, [Symbol.asyncDispose]: () => disposables[Symbol.asyncDispose]() };
  } catch (thrown) {
    await disposables[Symbol.asyncDispose]();
    throw thrown;
  }
}
