import type { Logger } from '@calls/foundation/logger';
import { connect } from 'nats';
import { asBusError } from './bus-error.ts';
import type { Bus } from './bus.ts';
import { CallCommands } from './call-commands.ts';
import { CallLogs } from './call-log.ts';
import { Connection } from './connection.ts';
import { CreatedCallQueue } from './created-calls.ts';
import { LeaseStore, openLeaseBucket } from './leases.ts';
import { ControlPlaneRequests } from './request-reply.ts';
import { ensureTopology } from './topology.ts';
import { openDialogBucket, StoredDialogs } from './stored-dialogs.ts';
import { openWorkerBucket, WorkerDirectory } from './worker-directory.ts';
import { WorkerPulses } from './worker-pulses.ts';
import { parseBusAddress, reconnectDelayMs } from './bus-address.ts';

/** Time limit of the handshake. A server that is down refuses immediately, so this is for busy machines. */
const CONNECT_LIMIT_MS = 15_000;
const SET_UP_LIMIT_MS = 5000;
/** A call may contain a megabyte of request and of inherited settings. */
const WANTED_PAYLOAD_BYTES = 4 * 1024 * 1024;

/**
 * Connects and creates what is missing on the server; rejects if the server is unavailable. Afterwards the connection is
 * re-established without a limit.
 */
export async function connectBus(options: { url: string; name: string; log: Logger }): Promise<Bus> {
  const nats = await connect({
    ...parseBusAddress(options.url),
    name: options.name,
    timeout: CONNECT_LIMIT_MS,
    maxReconnectAttempts: -1,
    // Detects a hanging server within 3 to 9 s.
    pingInterval: 3000,
    maxPingOut: 2,
    noAsyncTraces: true,
    reconnectDelayHandler: reconnectDelayMs,
  }).catch((thrown: unknown) => {
    throw asBusError(`connect to ${new URL(options.url.split(',', 1)[0] ?? '').host}`, thrown);
  });
  const maxPayloadBytes = nats.info?.max_payload ?? Infinity;
  if (maxPayloadBytes < WANTED_PAYLOAD_BYTES) {
    options.log.warn(
      { maxPayloadBytes, wanted: WANTED_PAYLOAD_BYTES },
      'NATS max_payload is too small for the largest calls',
    );
  }
  const connection = new Connection(nats, options.log, ensureStreams);
  const workers = new WorkerDirectory(connection.bucket(openWorkerBucket), () => connection.sinceReconnectMs);
  const callLogs = new CallLogs(connection);
  const close = async (): Promise<void> => {
    await callLogs[Symbol.asyncDispose]();
    await connection[Symbol.asyncDispose]();
  };
  let closed: Promise<void> | undefined;
  const bus: Bus = {
    connection,
    createdCalls: new CreatedCallQueue(connection),
    leases: new LeaseStore(connection.bucket(openLeaseBucket), workers),
    workers,
    pulses: new WorkerPulses(connection, options.url),
    dialogs: new StoredDialogs(connection.bucket(openDialogBucket)),
    callLogs,
    commands: new CallCommands(connection),
    requests: new ControlPlaneRequests(connection),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
  try {
    await ensureStreams(connection);
    return bus;
  } catch (thrown) {
    await bus[Symbol.asyncDispose]();
    throw asBusError('set-up of streams', thrown);
  }
}

/** Creates or updates streams, consumers and buckets. Idempotent: the server may have lost its data while it was away. */
async function ensureStreams({ nats, jetStream }: Connection): Promise<void> {
  await ensureTopology(await nats.jetstreamManager({ timeout: SET_UP_LIMIT_MS }));
  await openLeaseBucket(jetStream);
  await openWorkerBucket(jetStream);
  await openDialogBucket(jetStream);
}
