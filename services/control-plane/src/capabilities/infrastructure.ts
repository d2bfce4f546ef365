import type { Bus } from '@calls/bus/bus';
import { connectBus } from '@calls/bus/connect-bus';
import type { Clock } from '@calls/foundation/clock';
import { openConfiguredBy, startCapability, type Capability } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import { openStorage } from '@calls/object-storage/open-storage';
import { openRateLimits, type SharedRateLimits } from '@calls/redis/rate-limits/shared-rate-limits';
import { assertMigrated } from '@calls/store/migrate';
import { ReadReplicas } from '@calls/store/read-replicas';
import { openStore, type Database, type Store } from '@calls/store/store';
import { createMetrics, type Metrics } from '@calls/telemetry/metrics';
import { createTracing } from '@calls/telemetry/tracing/create-tracing';
import type { Tracing } from '@calls/telemetry/tracing/span';
import type { ControlPlaneConfig } from '../config.ts';

/** What most capabilities of the control-plane use. */
export interface Infrastructure {
  metrics: Metrics;
  tracing: Tracing;
  store: Store;
  /** The database of `store`. */
  db: Database;
  /** Replicas for lists and reports. */
  readReplicas: ReadReplicas;
  bus: Bus;
  rateLimits: SharedRateLimits;
  storage: ObjectStorage;
  clock: Clock;
  log: Logger;
}

/** Rejects if the database, the bus, Redis or the object storage is unavailable, or the database is not migrated. */
export function openInfrastructure(
  config: ControlPlaneConfig,
  { clock, log }: Pick<Infrastructure, 'clock' | 'log'>,
): Promise<Capability<Infrastructure>> {
  return startCapability(log, async (components) => {
    const name = 'control-plane';
    const metrics = createMetrics({ service: name });
    const tracing = components.own('tracing', await createTracing(config.tracing, { metrics, log }));
    const { databaseUrl: url, databaseQueryLimitMs: queryLimitMs, poolSize } = config;
    const { redisUrl, natsReplicas: replicas } = config;
    const store = components.own('store', openStore({ url, name, poolSize, queryLimitMs, log }));
    const { db } = store;
    await openConfiguredBy('DATABASE_URL', assertMigrated(db));
    const readReplicas = components.own(
      'read replicas',
      openReadReplicas(config, { name, db, metrics, log }),
    );
    const bus = components.own(
      'bus',
      await openConfiguredBy('NATS_URL', connectBus({ url: config.natsUrl, name, replicas, log })),
    );
    const rateLimits = components.own('rate limits', await openRateLimits({ redisUrl, clock, log }));
    const storage = components.own('object storage', await openStorage(config.objectStorage, clock));
    return { metrics, tracing, store, db, readReplicas, bus, rateLimits, storage, clock, log };
  });
}

function openReadReplicas(
  {
    databaseUrl: primaryUrl,
    databaseReadUrls: urls,
    databaseReadMaxLagMs: maxLagMs,
    databaseQueryLimitMs: queryLimitMs,
    poolSize,
  }: ControlPlaneConfig,
  { name, db: primary, metrics, log }: Pick<Infrastructure, 'db' | 'metrics' | 'log'> & { name: string },
): ReadReplicas {
  const reads = metrics.counter({
    name: 'database_reads_total',
    help: 'Database reads that may use a replica; `server` is the one that they used: `replica` or `primary`',
    labels: ['server'],
  });
  const lag = metrics.gauge({
    name: 'database_replica_lag_ms',
    help: 'Maximum age of the data of a read replica, to about a second; absent while it is unavailable',
    labels: ['replica'],
  });
  const replicas = new ReadReplicas({
    ...{ primaryUrl, primary, urls, name, poolSize, queryLimitMs, maxLagMs, log },
    onRead: (server) => reads.inc({ server }),
    onCheck: (replica, lagMs) => {
      if (lagMs === null) lag.remove({ replica });
      else lag.set({ replica }, lagMs);
    },
  });
  metrics.gauge({
    name: 'database_replicas',
    help: 'Read replicas that are configured',
    collect: () => urls.length,
  });
  metrics.gauge({
    name: 'database_replicas_usable',
    help: 'Read replicas that lists and reports may use',
    collect: () => replicas.usable,
  });
  return replicas;
}
