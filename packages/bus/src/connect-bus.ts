import type { Logger } from '@calls/foundation/logger';
import { Bucket } from './bucket.ts';
import { asBusError } from './bus-error.ts';
import type { Bus } from './bus.ts';
import { CallChanges } from './call-changes.ts';
import { CallCommands } from './call-commands.ts';
import { ClockCheck } from './clock-check.ts';
import { CallLogs } from './call-log.ts';
import { Connection, DEFAULT_PUBLISH_LIMIT_MS } from './connection.ts';
import { CreatedCallQueue } from './created-calls.ts';
import { Handovers } from './handovers.ts';
import { LEASE_BUCKET, LeaseStore } from './leases.ts';
import { ControlPlaneRequests } from './request-reply.ts';
import { ensureTopology, type TopologyOptions } from './topology.ts';
import { StreamHealth } from './stream-health.ts';
import { DIALOG_BUCKET, StoredDialogs } from './stored-dialogs.ts';
import { workerBucket, WorkerDirectory } from './worker-directory.ts';
import { WorkerHeartbeats } from './worker-heartbeats.ts';
import { connectTo, hostsOf } from './bus-address.ts';

/** Time limit of each request. While a stream gets more replicas, the server does not respond to concurrent updates. */
const SET_UP_LIMIT_MS = 2000;
/** A call may contain a megabyte of request and of inherited settings. */
const WANTED_PAYLOAD_BYTES = 4 * 1024 * 1024;

export interface BusOptions {
  /** URL of one server, or of several, separated by commas. */
  url: string;
  /** Name of the connection. */
  name: string;
  /** Copies of each stream and bucket, on as many servers; default: 1. */
  replicas?: number;
  /** How long the server may take to confirm a publication or a ping; default: 2000. */
  publishLimitMs?: number;
  log: Logger;
}

/**
 * Connects, and creates missing streams and buckets; rejects if the server is unavailable. Afterwards the connection is
 * re-established without a limit.
 */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { replicas = 1, publishLimitMs = DEFAULT_PUBLISH_LIMIT_MS, log } = options;
  const nats = await connectTo(options.url, options.name).catch((thrown: unknown) => {
    throw asBusError(`connect to ${hostsOf(options.url).join(', ')}`, thrown);
  });
  const maxPayloadBytes = nats.info?.max_payload ?? Infinity;
  if (maxPayloadBytes < WANTED_PAYLOAD_BYTES) {
    log.warn(
      { maxPayloadBytes, requiredBytes: WANTED_PAYLOAD_BYTES },
      'NATS max_payload is too small for the largest calls',
    );
  }
  const connection = new Connection(nats, { log, publishLimitMs }, (lost) =>
    ensureStreams(lost, { replicas, existing: 'leave', log }),
  );
  const announced = workerBucket(replicas);
  const announcements = new Bucket(connection, announced, 'replica');
  const workers = new WorkerDirectory(announcements, () => connection.sinceReconnectMs);
  const callLogs = new CallLogs(connection);
  const callChanges = new CallChanges(connection);
  const close = async (): Promise<void> => {
    await callLogs[Symbol.asyncDispose]();
    await connection[Symbol.asyncDispose]();
  };
  let closed: Promise<void> | undefined;
  const bus: Bus = {
    connection,
    streams: new StreamHealth(connection),
    clock: new ClockCheck(announcements, announced.ttlMs, log),
    createdCalls: new CreatedCallQueue(connection, callChanges),
    leases: new LeaseStore({
      replica: new Bucket(connection, LEASE_BUCKET, 'replica'),
      leader: new Bucket(connection, LEASE_BUCKET, 'leader'),
      workers,
    }),
    workers,
    heartbeats: new WorkerHeartbeats(connection, options.url),
    dialogs: new StoredDialogs(new Bucket(connection, DIALOG_BUCKET, 'leader')),
    callLogs,
    callChanges,
    commands: new CallCommands(connection),
    requests: new ControlPlaneRequests(connection),
    handovers: new Handovers(connection),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
  try {
    await ensureStreams(connection, { replicas, existing: 'update', log });
    return bus;
  } catch (thrown) {
    await bus[Symbol.asyncDispose]();
    throw asBusError('set-up of streams', thrown);
  }
}

/** Creates what is missing. Idempotent, because it also runs when the server may have lost its data in an outage. */
async function ensureStreams(
  { nats }: Connection,
  options: Omit<TopologyOptions, 'isClustered'>,
): Promise<void> {
  const manager = await nats.jetstreamManager({ timeout: SET_UP_LIMIT_MS, checkAPI: false });
  await ensureTopology(manager, { ...options, isClustered: nats.info?.cluster !== undefined });
}
