import { valueOf, type Bucket, type BucketDefinition } from './bucket.ts';
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

/** The live media-workers. A record expires unless its worker announces itself in time. */
export class WorkerDirectory {
  readonly #bucket: Bucket;
  /** Time since the last reconnection; Infinity if the connection was never lost. */
  readonly #sinceReconnectMs: () => number;

  constructor(bucket: Bucket, sinceReconnectMs: () => number) {
    this.#bucket = bucket;
    this.#sinceReconnectMs = sinceReconnectMs;
  }

  async announce(record: WorkerRecord): Promise<void> {
    await this.#bucket.use('worker announce', (kv) => kv.put(keyOf(record.workerId), JSON.stringify(record)));
  }

  find(workerId: string): Promise<WorkerRecord | null> {
    return this.#bucket.use('worker find', async (kv) =>
      valueOf(await kv.get(keyOf(workerId)), parseWorkerRecord),
    );
  }

  list(): Promise<WorkerRecord[]> {
    return this.#bucket.use('worker list', async (kv) => {
      const keys = await this.#bucket.keys('>');
      const entries = await Promise.all(keys.map((key) => kv.get(key)));
      return entries.flatMap((entry) => valueOf(entry, parseWorkerRecord) ?? []);
    });
  }

  withdraw(workerId: string): Promise<void> {
    return this.#bucket.use('worker withdraw', (kv) => kv.purge(keyOf(workerId)));
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
