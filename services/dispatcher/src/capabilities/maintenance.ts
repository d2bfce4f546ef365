import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import type { Database } from '@calls/store/store';
import { deleteUnusedUploads } from '@calls/store/tables/corpus-documents';
import { orderLostLoading } from '@calls/store/tables/corpus-loading';
import { createConnectionPool } from '@calls/providers/http/connection-pool';
import { createOpenAiCompatibleEmbedder } from '@calls/providers/embeddings/openai-compatible-embedder';
import { indexMissedVectors } from '@calls/store/tables/corpus-vector-index';
import { requestMissedEmbedding } from '@calls/store/tables/corpus-vectors';
import { queueAnalyses } from '../analyses/queue-analyses.ts';
import type { DispatcherConfig } from '../config.ts';
import { embedPassages } from '../corpora/embed-passages.ts';
import { relayJobs } from '../relay-jobs.ts';
import { clearAdministration, clearUnfinished, deleteBilledCalls } from '../retention/retention.ts';
import { backlogMetrics } from '../webhooks/delivery-metrics.ts';
import { clearDeliveries, requeueStuckReceivers } from '../webhooks/delivery-maintenance.ts';
import type { Receivers } from '../webhooks/receivers.ts';
import type { Infrastructure } from './infrastructure.ts';

/** Longer than a job usually waits in the queue. A job that was added twice does nothing the second time. */
const LOST_AFTER_MS = 5 * 60_000;
const UNUSED_AFTER_MS = 24 * 3600_000;
const BATCH = 200;

const RELAY_INTERVAL_MS = 100;
const ANALYSIS_INTERVAL_MS = 500;
const RECEIVER_SWEEP_INTERVAL_MS = 5000;
const DELIVERY_CLEARING_INTERVAL_MS = 60_000;
const BACKLOG_INTERVAL_MS = 15_000;
const CORPUS_MAINTENANCE_INTERVAL_MS = 30_000;
const EMBEDDING_INTERVAL_MS = 500;
/** Number of vectors that are indexed in one transaction. */
const INDEXING_BATCH = 100;
const RETENTION_INTERVAL_MS = 1000;
const ADMINISTRATION_INTERVAL_MS = 60_000;
const CLEARING_INTERVAL_MS = 3600_000;

/** Moves due jobs from the outbox to the queue, replaces lost jobs, deletes what has expired, and measures the backlog. */
export function startMaintenance(
  { auditLogRetentionDays, embeddings }: Pick<DispatcherConfig, 'auditLogRetentionDays' | 'embeddings'>,
  deps: Infrastructure & { receivers: Receivers },
): Promise<Capability<object>> {
  const { db, queue, metrics, clock, log } = deps;
  return startCapability(log, (components) => {
    const task = (name: string, intervalMs: number, run: (signal: AbortSignal) => Promise<void>): void => {
      components.own(name, startPeriodicTask({ name, intervalMs, clock, log, run }));
    };
    task('job relay', RELAY_INTERVAL_MS, () => relayJobs(deps));
    task('analysis requests', ANALYSIS_INTERVAL_MS, (signal) => queueAnalyses(deps, signal));
    task('receiver sweep', RECEIVER_SWEEP_INTERVAL_MS, () => requeueStuckReceivers(db, queue));
    task('finished deliveries', DELIVERY_CLEARING_INTERVAL_MS, (signal) => clearDeliveries(deps, signal));
    task('backlog metrics', BACKLOG_INTERVAL_MS, backlogMetrics(metrics, { db, queue }));
    task('corpus maintenance', CORPUS_MAINTENANCE_INTERVAL_MS, () => cleanUpCorpora({ db, log }));
    if (embeddings) {
      const pool = components.own('embedding connections', createConnectionPool());
      const embedder = createOpenAiCompatibleEmbedder({
        config: embeddings,
        texts: 'passages',
        pool,
        clock,
      });
      const missed = async (): Promise<void> => {
        await requestMissedEmbedding(db, embedder.model, BATCH);
      };
      task('missed vector index', CORPUS_MAINTENANCE_INTERVAL_MS, async (signal) => {
        while (!signal.aborted && (await indexMissedVectors(db, INDEXING_BATCH)) > 0);
      });
      task('missed embeddings', CORPUS_MAINTENANCE_INTERVAL_MS, missed);
      task('embeddings', EMBEDDING_INTERVAL_MS, (signal) =>
        embedPassages({ db, embedder, clock, log }, signal),
      );
    }
    task('unfinished objects', CLEARING_INTERVAL_MS, (signal) => clearUnfinished(deps, signal));
    task('billed calls', RETENTION_INTERVAL_MS, (signal) => deleteBilledCalls({ db, log }, signal));
    task('administration', ADMINISTRATION_INTERVAL_MS, (signal) =>
      clearAdministration({ db, log, auditLogRetentionDays }, signal),
    );
    return {};
  });
}

/** Requeues sources if their job was lost, and deletes uploads that no source took within a day. */
async function cleanUpCorpora({ db, log }: { db: Database; log: Logger }): Promise<void> {
  const ordered = await orderLostLoading(db, LOST_AFTER_MS, BATCH);
  if (ordered > 0) log.warn({ sources: ordered }, 'corpus source jobs lost; requeued');
  const deleted = await deleteUnusedUploads(db, UNUSED_AFTER_MS, BATCH);
  if (deleted > 0) log.info({ uploads: deleted }, 'unused uploads deleted');
}
