import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import { keepCorporaUp } from '../corpora/corpus-upkeep.ts';
import { relayJobs } from '../relay-jobs.ts';
import { clearUnfinished, deleteBilledCalls } from '../retention/retention.ts';
import { backlogMetrics } from '../webhooks/delivery-metrics.ts';
import { clearDeliveries, sweepReceivers } from '../webhooks/delivery-upkeep.ts';
import type { Receivers } from '../webhooks/receivers.ts';
import type { Infrastructure } from './infrastructure.ts';

const RELAY_INTERVAL_MS = 100;
const RECEIVER_SWEEP_INTERVAL_MS = 5000;
const DELIVERY_CLEARING_INTERVAL_MS = 60_000;
const BACKLOG_INTERVAL_MS = 15_000;
const CORPUS_UPKEEP_INTERVAL_MS = 30_000;
const RETENTION_INTERVAL_MS = 1000;
const CLEARING_INTERVAL_MS = 3600_000;

/** Moves due jobs from the outbox to the queue, replaces lost jobs, deletes what has expired, and measures the backlog. */
export function startUpkeep(deps: Infrastructure & { receivers: Receivers }): Promise<Capability<object>> {
  const { db, queue, metrics, clock, log } = deps;
  return startCapability(log, (components) => {
    const task = (name: string, intervalMs: number, run: (signal: AbortSignal) => Promise<void>): void => {
      components.own(name, startPeriodicTask({ name, intervalMs, clock, log, run }));
    };
    task('job relay', RELAY_INTERVAL_MS, () => relayJobs(deps));
    task('receiver sweep', RECEIVER_SWEEP_INTERVAL_MS, () => sweepReceivers(db, queue));
    task('finished deliveries', DELIVERY_CLEARING_INTERVAL_MS, (signal) => clearDeliveries(deps, signal));
    task('backlog metrics', BACKLOG_INTERVAL_MS, backlogMetrics(metrics, { db, queue }));
    task('corpus upkeep', CORPUS_UPKEEP_INTERVAL_MS, () => keepCorporaUp({ db, log }));
    task('unfinished objects', CLEARING_INTERVAL_MS, (signal) => clearUnfinished(deps, signal));
    task('billed calls', RETENTION_INTERVAL_MS, (signal) => deleteBilledCalls({ db, log }, signal));
    return {};
  });
}
