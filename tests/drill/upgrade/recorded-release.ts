import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callLogSubject } from '@calls/api-contract/bus/call-log-entry';
import { LEASE_BUCKET } from '@calls/bus/leases';
import { connect, type NatsConnection } from 'nats';
import type { Snapshot } from './stored-data.ts';

const EVENTS_STREAM = 'CALL_EVENTS';

/** Keys of the recorded installation. */
export const RECORDED_KEYS = {
  JOIN_TOKEN_SECRET: 'a secret of join tokens for tests only',
  ENCRYPTION_KEY: 'a key of stored secrets for tests only',
};

/** Data that an earlier release stored. Its worker was killed during a call. */
export interface RecordedRelease {
  /** The commit of the release. */
  readonly release: string;
  readonly recordedAtMs: number;
  /** The newest migration that the release applied. */
  readonly lastMigration: string;
  readonly apiKey: string;
  /** Responses of its API. */
  readonly snapshots: readonly Snapshot[];
  readonly liveCallId: string;
  /** The agent with a template that has sealed secrets. */
  readonly agentId: string;
  /** Data of the live call as JSON texts. */
  readonly lease: string;
  readonly log: readonly string[];
}

const FOLDER = join(import.meta.dirname, '../../fixtures/earlier-release');
export const ROWS_FILE = join(FOLDER, 'rows.sql');
export const RECORD_FILE = join(FOLDER, 'record.json');

export async function readRecordedRelease(): Promise<{ record: RecordedRelease; rows: string }> {
  const [record, rows] = await Promise.all([readFile(RECORD_FILE, 'utf8'), readFile(ROWS_FILE, 'utf8')]);
  return { record: JSON.parse(record) as RecordedRelease, rows };
}

/** Reads the data of a call in NATS. */
export async function readStoredCall(
  natsUrl: string,
  callId: string,
): Promise<Pick<RecordedRelease, 'lease' | 'log'>> {
  await using nats = await openNats(natsUrl);
  const manager = await nats.connection.jetstreamManager();
  const lease = await manager.streams.getMessage(`KV_${LEASE_BUCKET.name}`, {
    last_by_subj: `$KV.${LEASE_BUCKET.name}.${callId}`,
  });
  const { state } = await manager.streams.info(EVENTS_STREAM);
  const log: string[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(EVENTS_STREAM, { seq });
    if (message.subject === callLogSubject(callId)) log.push(message.string());
  }
  return { lease: lease.string(), log };
}

/** Stores the data in NATS again. The streams must exist. */
export async function writeStoredCall(
  natsUrl: string,
  callId: string,
  { lease, log }: Pick<RecordedRelease, 'lease' | 'log'>,
): Promise<void> {
  await using nats = await openNats(natsUrl);
  const jetStream = nats.connection.jetstream();
  await jetStream.publish(`$KV.${LEASE_BUCKET.name}.${callId}`, lease);
  for (const entry of log) await jetStream.publish(callLogSubject(callId), entry);
}

async function openNats(url: string): Promise<AsyncDisposable & { connection: NatsConnection }> {
  const { host, username: token } = new URL(url);
  const connection = await connect({ servers: host, token });
  return { connection, [Symbol.asyncDispose]: () => connection.close() };
}
