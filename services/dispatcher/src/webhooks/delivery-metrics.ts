import { WEBHOOK_EVENTS } from '@calls/api-contract/rest/webhook';
import type { JobQueue } from '@calls/redis/queues/job-queue';
import type { Database } from '@calls/store/store';
import { countUnfinished } from '@calls/store/tables/delivery-runs';
import { countOutbox } from '@calls/store/tables/outbox';
import { WAIT_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';
import type { DeliverDeps } from './deliver.ts';
import { CLAIM_MS } from './receivers.ts';

/** Delivery metrics of this process. */
export function deliveryMetrics(metrics: Metrics): DeliverDeps['onDone'] {
  const outcomes = metrics.counter({
    name: 'callback_deliveries_total',
    help: 'Attempts to deliver webhooks and callbacks: `delivered`, `retried` or `dead` (given up)',
    labels: ['event', 'outcome'],
    zero: WEBHOOK_EVENTS.map((event) => ({ event, outcome: 'dead' })),
  });
  const latency = metrics.histogram({
    name: 'callback_delivery_ms',
    help: 'Time from when an attempt is due to its acknowledgement',
    labels: ['event'],
    buckets: WAIT_BUCKETS_MS,
  });
  return (event, outcome, lateMs) => {
    outcomes.inc({ event, outcome });
    if (outcome === 'delivered') latency.observe({ event }, lateMs);
  };
}

/** Backlog of the whole system; every dispatcher reports the same values. Returns a function that refreshes them. */
export function backlogMetrics(
  metrics: Metrics,
  { db, queue }: { db: Database; queue: JobQueue },
): () => Promise<void> {
  const deliveries = metrics.gauge({
    name: 'callback_deliveries',
    help: 'Deliveries by status, `pending` or `dead` (use max)',
    labels: ['status'],
  });
  const oldestDue = metrics.gauge({
    name: 'callback_delivery_due_ms',
    help: 'Longest time that a subscriber with due deliveries has waited for an attempt (use max)',
  });
  const outboxRows = metrics.gauge({
    name: 'outbox_rows',
    help: 'Outbox rows that are not sent yet (use max)',
    labels: ['topic'],
  });
  const outboxAge = metrics.gauge({
    name: 'outbox_age_ms',
    help: 'Time since the oldest unsent outbox row was due (use max)',
    labels: ['topic'],
  });
  const jobs = metrics.gauge({
    name: 'queue_jobs',
    help: 'Jobs in the queue (use max)',
    labels: ['kind', 'state'],
  });
  return async () => {
    const { pending, dead, oldestDueMs } = await countUnfinished(db, CLAIM_MS);
    deliveries.set({ status: 'pending' }, pending);
    deliveries.set({ status: 'dead' }, dead);
    oldestDue.set(oldestDueMs);
    for (const { topic, rows, dueForMs } of await countOutbox(db)) {
      outboxRows.set({ topic }, rows);
      outboxAge.set({ topic }, dueForMs);
    }
    for (const [kind, depth] of await queue.depths()) {
      for (const [state, count] of Object.entries(depth)) jobs.set({ kind, state }, Number(count));
    }
  };
}
