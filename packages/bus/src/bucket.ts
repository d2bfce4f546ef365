import { DiscardPolicy, nanos, StorageType, type KV, type KvEntry, type StreamConfig } from 'nats';
import { asBusError } from './bus-error.ts';
import type { Connection } from './connection.ts';

/** A key-value bucket with one value for each key. */
export interface BucketDefinition {
  readonly name: string;
  /** Age at which the server removes a record. */
  readonly ttlMs: number;
  readonly maxBytes?: number;
  readonly maxValueBytes?: number;
}

const MAX_DUPLICATE_WINDOW_MS = 120_000;

/** The name of the stream in which the server stores the bucket. */
function streamOf(bucket: string): string {
  return `KV_${bucket}`;
}

/** The subject of a record, without its key. */
function keyPrefix(bucket: string): string {
  return `$KV.${bucket}.`;
}

/** The stream in which the server stores the bucket. */
export function bucketStream({
  name,
  ttlMs,
  maxBytes,
  maxValueBytes,
}: BucketDefinition): Partial<StreamConfig> {
  return {
    name: streamOf(name),
    subjects: [`${keyPrefix(name)}>`],
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_msgs_per_subject: 1,
    max_age: nanos(ttlMs),
    // The server requires that it is not longer than the age.
    duplicate_window: nanos(Math.min(ttlMs, MAX_DUPLICATE_WINDOW_MS)),
    allow_rollup_hdrs: true,
    allow_direct: true,
    ...(maxBytes !== undefined && { max_bytes: maxBytes }),
    ...(maxValueBytes !== undefined && { max_msg_size: maxValueBytes }),
  };
}

/**
 * `replica`: any replica answers reads, even while the bucket has no leader; they may be older than the last write.
 * `leader`: reads see every completed write.
 */
export type BucketReads = 'replica' | 'leader';

/** A bucket that exists on the server. */
export class Bucket {
  readonly #connection: Connection;
  readonly #name: string;
  readonly #reads: BucketReads;
  #kv: Promise<KV> | undefined;

  constructor(connection: Connection, { name }: BucketDefinition, reads: BucketReads) {
    this.#connection = connection;
    this.#name = name;
    this.#reads = reads;
  }

  /** Waits for the connection; sends no request. */
  async open(): Promise<KV> {
    await this.#connection.whenConnected('bucket');
    const options = { bindOnly: true, allow_direct: this.#reads === 'replica' };
    this.#kv ??= this.#connection.jetStream.views.kv(this.#name, options);
    return this.#kv;
  }

  /** Runs an operation when connected. Rejects with an AppError, whose message names `operation`. */
  async use<T>(operation: string, work: (kv: KV) => Promise<T>): Promise<T> {
    try {
      return await work(await this.open());
    } catch (thrown) {
      throw asBusError(operation, thrown);
    }
  }

  /**
   * Returns the keys that match a filter such as `a.*`, including purged keys that have not expired. Call it within
   * `use`. `KV.keys` may wait forever if a record is written or removed in the meantime.
   */
  async keys(filter: string): Promise<string[]> {
    const prefix = keyPrefix(this.#name);
    const { streams } = await this.#connection.manager();
    const { state } = await streams.info(streamOf(this.#name), { subjects_filter: prefix + filter });
    return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length));
  }

  /**
   * Removes a record. Call it within `use`. `KV.purge` would leave a mark, and so the key, until the record would have
   * expired.
   */
  async remove(key: string): Promise<void> {
    const { streams } = await this.#connection.manager();
    await streams.purge(streamOf(this.#name), { filter: keyPrefix(this.#name) + key });
  }
}

/** Null if there is no value, or `parse` returns null. */
export function valueOf<T>(entry: KvEntry | null, parse: (text: string) => T | null): T | null {
  return entry?.operation === 'PUT' ? parse(entry.string()) : null;
}
