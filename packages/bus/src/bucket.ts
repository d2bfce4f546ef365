import { DiscardPolicy, nanos, StorageType, type JetStreamClient, type KV, type StreamConfig } from 'nats';

/** A key-value bucket with one value for each key. */
export interface BucketDefinition {
  readonly name: string;
  /** Age at which the server removes a record. */
  readonly ttlMs: number;
  readonly maxBytes?: number;
  readonly maxValueBytes?: number;
}

/** Each takes one request with a time limit. */
export interface BucketKeys {
  /**
   * The keys that match a filter such as `a.*`, also those that were purged and have not expired. `KV.keys` may wait
   * forever if a record is written or removed meanwhile.
   */
  list(filter: string): Promise<string[]>;
  /** Removes the record. `KV.purge` leaves a mark, and so the key, until the record would have expired. */
  remove(key: string): Promise<void>;
}

const MAX_DUPLICATE_WINDOW_MS = 120_000;

/** The name of the stream in which the server stores the bucket. */
export function streamOf(bucket: string): string {
  return `KV_${bucket}`;
}

/** The subject of a record, without its key. */
export function keyPrefix(bucket: string): string {
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
 * `replica`: reads are answered by any replica, also while the bucket has no leader; they may be older than the last
 * write. `leader`: reads see every completed write.
 */
export type BucketReads = 'replica' | 'leader';

/** Opens a bucket that exists; sends no request. */
export function openBucket(jetStream: JetStreamClient, name: string, reads: BucketReads): Promise<KV> {
  return jetStream.views.kv(name, { bindOnly: true, allow_direct: reads === 'replica' });
}
