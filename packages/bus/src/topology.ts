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
} from 'nats';
import { isAlreadyThere, isNotFound } from './bus-error.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const CREATED_STREAM = 'CALLS_CREATED';
export const EVENTS_STREAM = 'CALL_EVENTS';

/** Publishing the same message id again within this window stores nothing. */
const DUPLICATE_WINDOW_MS = 2 * MINUTE_MS;

const createdStream: Partial<StreamConfig> = {
  name: CREATED_STREAM,
  // By name: `calls.created.*` would overlap with `calls.*.events`.
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

export function createdConsumerName(admissionClass: AdmissionClass): string {
  return `admission_${admissionClass}`;
}

function createdConsumer(admissionClass: AdmissionClass): Partial<ConsumerConfig> {
  return {
    durable_name: createdConsumerName(admissionClass),
    filter_subject: createdCallSubject(admissionClass),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(10_000),
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

/** Creates or updates streams and the admission consumers. Any number of processes may do so at once. */
export async function ensureTopology(manager: JetStreamManager): Promise<void> {
  await ensureStream(manager, createdStream);
  await ensureStream(manager, eventsStream);
  await Promise.all(
    ADMISSION_CLASSES.map((name) => ensureConsumer(manager, CREATED_STREAM, createdConsumer(name))),
  );
}

async function ensureStream(manager: JetStreamManager, config: Partial<StreamConfig>): Promise<void> {
  const name = config.name ?? '';
  try {
    await manager.streams.update(name, config);
    return;
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
  try {
    await manager.streams.add(config);
  } catch (thrown) {
    if (!isAlreadyThere(thrown)) throw thrown;
    await manager.streams.update(name, config);
  }
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
    if (!isAlreadyThere(thrown)) throw thrown;
  }
}
