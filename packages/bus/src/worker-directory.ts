import type { KV } from 'nats';
import type { BucketDefinition, BucketKeys } from './bucket.ts';
import { asBusError } from './bus-error.ts';
import { parseWorkerRecord, type WorkerRecord } from './records.ts';

/** The server determines the age of records by its own clock, so clocks of processes are not compared. */
export const WORKER_TTL_MS = 6000;
/**
 * With replicas, records outlive the election of a leader, during which no worker can announce itself: 10 s, and the
 * time to the next announcement.
 */
const REPLICATED_TTL_MS = 20_000;

export function workerBucket(replicas: number): BucketDefinition {
  return {
    name: 'media_workers',
    ttlMs: replicas === 1 ? WORKER_TTL_MS : REPLICATED_TTL_MS,
    maxValueBytes: 4096,
  };
}

/** The live media workers. A record expires unless its worker announces itself in time. */
export class WorkerDirectory {
  readonly #bucket: () => Promise<KV>;
  readonly #keys: BucketKeys;
  /** Time since the last reconnection; Infinity if the connection was never lost. */
  readonly #sinceReconnectMs: () => number;

  constructor(bucket: () => Promise<KV>, keys: BucketKeys, sinceReconnectMs: () => number) {
    this.#bucket = bucket;
    this.#keys = keys;
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
      const entries = await Promise.all((await this.#keys.list('>')).map((key) => bucket.get(key)));
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
