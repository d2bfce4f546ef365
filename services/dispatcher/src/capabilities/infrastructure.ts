import {
  createCallNotifications,
  type CallNotifications,
} from '@calls/call-lifecycle/notifications/call-notifications';
import { createCallView } from '@calls/call-lifecycle/notifications/views';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { openConfiguredBy, startCapability, type Capability } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import { openStorage } from '@calls/object-storage/open-storage';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import { openJobQueue, type JobQueue } from '@calls/redis/queues/job-queue';
import { openRateLimits, type SharedRateLimits } from '@calls/redis/rate-limits/shared-rate-limits';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { createSecretBox, type SecretBox } from '@calls/secrets/secret-box/secret-box';
import { assertMigrated } from '@calls/store/migrate';
import { openStore, type Database, type Store } from '@calls/store/store';
import { createMetrics, type Metrics } from '@calls/telemetry/metrics';
import { createTracing } from '@calls/telemetry/tracing/create-tracing';
import type { Tracing } from '@calls/telemetry/tracing/span';
import { createChecksOf, type ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import type { DispatcherConfig } from '../config.ts';
import { createDispatcherWork, type DispatcherWork } from '../untrusted-work/dispatcher-work.ts';

/** What most capabilities of the dispatcher use. */
export interface Infrastructure {
  metrics: Metrics;
  tracing: Tracing;
  store: Store;
  /** The database of `store`. */
  db: Database;
  queue: JobQueue;
  rateLimits: SharedRateLimits;
  /** Requests to addresses that customers choose. */
  outbound: OutboundHttp;
  /** Worker processes for customers' documents, schemas and patterns. */
  untrustedWork: DispatcherWork;
  /** Checks that run in `untrustedWork`. */
  checksOf: ChecksOf;
  storage: ObjectStorage;
  secretBox: SecretBox;
  notifications: CallNotifications;
  clock: Clock;
  log: Logger;
}

/** Maximum number of scheduled batches that create calls at the same time. */
export const BATCH_LANES = 4;
/** Database connections that all receivers share; their statements are short. */
const DELIVERY_CONNECTIONS = 6;
/** Database connections of the periodic tasks. */
const TASK_CONNECTIONS = 4;

/** Rejects if the database, Redis or the object storage is unavailable, or the database is not migrated. */
export function openInfrastructure(
  config: DispatcherConfig,
  log: Logger,
): Promise<Capability<Infrastructure>> {
  return startCapability(log, async (components) => {
    const clock = systemClock;
    const name = 'dispatcher';
    const metrics = createMetrics({ service: name });
    const tracing = components.own('tracing', await createTracing(config.tracing, { metrics, log }));
    const { databaseUrl: url, databaseQueryLimitMs: queryLimitMs, redisUrl, concurrency } = config;
    const poolSize = concurrency + BATCH_LANES + DELIVERY_CONNECTIONS + TASK_CONNECTIONS;
    const store = components.own('store', openStore({ url, name, poolSize, queryLimitMs, log }));
    const { db } = store;
    await openConfiguredBy('DATABASE_URL', assertMigrated(db));
    const queue = components.own(
      'job queue',
      await openConfiguredBy('REDIS_URL', openJobQueue({ redisUrl, log })),
    );
    const rateLimits = components.own('rate limits', await openRateLimits({ redisUrl, clock, log }));
    const outbound = components.own('outbound requests', createOutboundHttp(config.outbound));
    const untrustedWork = components.own('untrusted work', createDispatcherWork(log));
    const storage = components.own('object storage', await openStorage(config.objectStorage, clock));
    const checksOf = createChecksOf(untrustedWork);
    const secretBox = createSecretBox(config.encryptionKeys);
    const tokens = createJoinTokens(config.joinTokenSecrets);
    const { mediaPublicUrl } = config;
    const callView = createCallView({ mediaPublicUrl, tokens, secretBox });
    const notifications = createCallNotifications({ secretBox, callView });
    return {
      ...{ metrics, tracing, store, db, queue, rateLimits, outbound, untrustedWork, checksOf, storage },
      ...{ secretBox, notifications, clock, log },
    };
  });
}
