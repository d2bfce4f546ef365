import { StorageType, type JetStreamClient, type KV } from 'nats';
import { asBusError } from './bus-error.ts';
import { parseWorkerRecord, type WorkerRecord } from './records.ts';

const BUCKET = 'media_workers';
/** The server determines the age of records by its own clock, so clocks of processes are not compared. */
export const WORKER_TTL_MS = 6000;

export function openWorkerBucket(jetStream: JetStreamClient): Promise<KV> {
  return jetStream.views.kv(BUCKET, {
    history: 1,
    ttl: WORKER_TTL_MS,
    storage: StorageType.File,
    maxValueSize: 4096,
  });
}

/** The live media workers. A record expires unless its worker announces itself within WORKER_TTL_MS. */
export class WorkerDirectory {
  readonly #bucket: () => Promise<KV>;
  /** Time since the last reconnection; Infinity if the connection was never lost. */
  readonly #sinceReconnectMs: () => number;

  constructor(bucket: () => Promise<KV>, sinceReconnectMs: () => number) {
    this.#bucket = bucket;
    this.#sinceReconnectMs = sinceReconnectMs;
  }

  async announce(record: WorkerRecord): Promise<void> {
    try {
      await (await this.#bucket()).put(keyOf(record.workerId), JSON.stringify(record));
    } catch (thrown) {
      throw asBusError('worker announce', thrown);
    }
  }

  async find(workerId: string): Promise<WorkerRecord | null> {
    try {
      const entry = await (await this.#bucket()).get(keyOf(workerId));
      return entry?.operation === 'PUT' ? parseWorkerRecord(entry.string()) : null;
    } catch (thrown) {
      throw asBusError('worker find', thrown);
    }
  }

  async list(): Promise<WorkerRecord[]> {
    try {
      const bucket = await this.#bucket();
      const keys: string[] = [];
      for await (const key of await bucket.keys()) keys.push(key);
      const entries = await Promise.all(keys.map((key) => bucket.get(key)));
      return entries.flatMap((entry) =>
        entry?.operation === 'PUT' ? (parseWorkerRecord(entry.string()) ?? []) : [],
      );
    } catch (thrown) {
      throw asBusError('worker list', thrown);
    }
  }

  async withdraw(workerId: string): Promise<void> {
    try {
      await (await this.#bucket()).purge(keyOf(workerId));
    } catch (thrown) {
      throw asBusError('worker withdraw', thrown);
    }
  }

  /**
   * After an outage of the server all records are old: workers count as live until each had time to announce itself.
   */
  async isLive(workerId: string): Promise<boolean> {
    if (this.#sinceReconnectMs() < WORKER_TTL_MS) return true;
    return (await this.find(workerId)) !== null;
  }
}

/** Bucket keys and subjects allow only some characters; worker ids may have any. */
export function keyOf(workerId: string): string {
  return Buffer.from(workerId).toString('base64url');
}
