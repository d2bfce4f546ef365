import { isDeepStrictEqual } from 'node:util';
import { ALL_CALL_LOGS_SUBJECT } from '@calls/api-contract/bus/call-log-entry';
import {
  ADMISSION_CLASSES,
  createdCallSubject,
  type AdmissionClass,
} from '@calls/api-contract/bus/created-call';
import {
  AckPolicy,
  DiscardPolicy,
  nanos,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from 'nats';
import type { Logger } from '@calls/foundation/logger';
import { AppError, toError } from '@calls/foundation/errors';
import { bucketStream } from './bucket.ts';
import { isAlreadyCreated, isNoResponders, isNotFound, isPlacementFailure } from './bus-error.ts';
import { LEASE_BUCKET } from './leases.ts';
import { retryLeaderless } from './retry-leaderless.ts';
import { DIALOG_BUCKET } from './stored-dialogs.ts';
import { workerBucket } from './worker-directory.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const CREATED_STREAM = 'CALLS_CREATED';
export const EVENTS_STREAM = 'CALL_EVENTS';

/** Publishing the same message id again within this window stores nothing. */
const DUPLICATE_WINDOW_MS = 2 * MINUTE_MS;

const createdStream: Partial<StreamConfig> = {
  name: CREATED_STREAM,
  // Listed by name, because `calls.created.*` would overlap with `calls.*.events`.
  subjects: ADMISSION_CLASSES.map(createdCallSubject),
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  // When full, publishing fails and the call stays in the outbox. Waiting calls are not dropped.
  discard: DiscardPolicy.New,
  max_age: nanos(HOUR_MS),
  max_msgs: 100_000,
  max_bytes: 1024 ** 3,
  duplicate_window: nanos(DUPLICATE_WINDOW_MS),
};

const eventsStream: Partial<StreamConfig> = {
  name: EVENTS_STREAM,
  subjects: [ALL_CALL_LOGS_SUBJECT],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: DiscardPolicy.Old,
  // The database has the permanent record. The stream bridges consumer outages and holds the logs of live calls.
  max_age: nanos(26 * HOUR_MS),
  max_bytes: 4 * 1024 ** 3,
  duplicate_window: nanos(DUPLICATE_WINDOW_MS),
};

/** Clients wait 5 s for a worker to admit their call: less than half of it may be lost with a worker. */
const CREATED_ACK_WAIT_MS = 2000;

export function createdConsumerName(admissionClass: AdmissionClass): string {
  return `admission_${admissionClass}`;
}

function createdConsumer(admissionClass: AdmissionClass): Partial<ConsumerConfig> {
  return {
    durable_name: createdConsumerName(admissionClass),
    filter_subject: createdCallSubject(admissionClass),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(CREATED_ACK_WAIT_MS),
    max_ack_pending: 10_000,
    max_waiting: 512,
  };
}

/** The server redelivers an entry after this time unless its consumer reports progress. */
export const EVENT_ACK_WAIT_MS = 15_000;

export function eventsConsumer(durable: string, maxInFlight: number): Partial<ConsumerConfig> {
  return {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(EVENT_ACK_WAIT_MS),
    // Shared by all replicas, each of which uses up to `maxInFlight`.
    max_ack_pending: Math.max(1000, maxInFlight * 16),
    max_waiting: 512,
  };
}

/** Time limit for each stream. Covers the election of its leader, and a change of its replicas by another process. */
const ENSURE_LIMIT_MS = 20_000;

export interface TopologyOptions {
  /** Copies of each stream, on as many servers. */
  readonly replicas: number;
  /** Whether streams that exist get the wanted configuration. */
  readonly existing: 'update' | 'leave';
  /** Whether the server is part of a cluster. */
  readonly isClustered: boolean;
  readonly log: Logger;
}

/** The streams and, as streams, the buckets. */
function streams(replicas: number): Partial<StreamConfig>[] {
  const buckets = [LEASE_BUCKET, workerBucket(replicas), DIALOG_BUCKET];
  return [createdStream, eventsStream, ...buckets.map(bucketStream)];
}

export const STREAM_NAMES = streams(1).map(({ name = '' }) => name);

/**
 * Creates or updates streams, buckets and the admission consumers. Any number of processes may do so at the same time:
 * the streams get the configuration of the process that started last.
 */
export async function ensureTopology(manager: JetStreamManager, options: TopologyOptions): Promise<void> {
  for (const stream of streams(options.replicas))
    await retryLeaderless(() => ensureStream(manager, stream, options), ENSURE_LIMIT_MS).catch(
      (thrown: unknown) => {
        if (isNoResponders(thrown)) throw noJetStreamError(thrown);
        throw isPlacementFailure(thrown) ? placementError(options.replicas, thrown) : thrown;
      },
    );
  await Promise.all(
    ADMISSION_CLASSES.map((name) =>
      retryLeaderless(() => ensureConsumer(manager, CREATED_STREAM, createdConsumer(name)), ENSURE_LIMIT_MS),
    ),
  );
}

async function ensureStream(
  manager: JetStreamManager,
  config: Partial<StreamConfig>,
  { replicas, existing, isClustered, log }: TopologyOptions,
): Promise<void> {
  const stream = config.name ?? '';
  const found = await findStream(manager, stream);
  if (!found) {
    await addStream(manager, { ...config, num_replicas: replicas });
    return;
  }
  if (existing === 'leave') return;
  if (differs(found.config, config)) await manager.streams.update(stream, config);
  const { num_replicas: from } = found.config;
  // NATS 2.9 accepts any number without a cluster, although it has one copy.
  if (replicas > 1 && !isClustered) {
    const err = new AppError('nats_replicas', 'the NATS server is not part of a cluster');
    log.error({ stream, from, replicas, err }, 'failed to change number of stream replicas');
    return;
  }
  if (from === replicas) return;
  try {
    await manager.streams.update(stream, { num_replicas: replicas });
    log.info({ stream, from, replicas }, 'changed number of stream replicas');
  } catch (thrown) {
    // The stream continues with the replicas that it has.
    if (!isPlacementFailure(thrown)) throw thrown;
    log.error({ stream, from, replicas, err: toError(thrown) }, 'failed to change number of stream replicas');
  }
}

async function findStream(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(name);
  } catch (thrown) {
    if (isNotFound(thrown)) return null;
    throw thrown;
  }
}

/** Does nothing if another process has just created the stream. */
async function addStream(manager: JetStreamManager, config: Partial<StreamConfig>): Promise<void> {
  try {
    await manager.streams.add(config);
  } catch (thrown) {
    if (!isAlreadyCreated(thrown)) throw thrown;
  }
}

function noJetStreamError(cause: unknown): AppError {
  const message = 'the NATS server runs without JetStream; enable it, for example with `-js`';
  return new AppError('nats_jetstream', message, { cause });
}

function placementError(replicas: number, thrown: unknown): AppError {
  return new AppError(
    'nats_replicas',
    `NATS_REPLICAS is ${replicas}: the NATS cluster needs ${replicas} running servers with JetStream (${toError(thrown).message})`,
    { cause: thrown },
  );
}

function differs(found: StreamConfig, wanted: Partial<StreamConfig>): boolean {
  return !isDeepStrictEqual({ ...found, ...wanted }, found);
}

export async function ensureConsumer(
  manager: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig>,
): Promise<void> {
  const name = config.durable_name ?? '';
  try {
    await manager.consumers.update(stream, name, config);
    return;
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
  try {
    await manager.consumers.add(stream, config);
  } catch (thrown) {
    if (!isAlreadyCreated(thrown)) throw thrown;
  }
}
