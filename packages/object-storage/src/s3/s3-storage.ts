import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { S3Config } from '../config.ts';
import { assertObjectKey } from '../object-key.ts';
import type {
  LinkHeaders,
  ObjectInfo,
  ObjectStorage,
  ObjectWriter,
  StoredObject,
  UnfinishedObject,
} from '../object-storage.ts';
import { S3Bucket, type S3Limits } from './s3-bucket.ts';
import { S3Writer, type S3WriterDeps } from './s3-writer.ts';
import { newestWriter, parseEntry, type Entry } from './unfinished-entries.ts';
import { partsOf, upload } from './upload.ts';

/** Keys do not start with a dot. */
const UNFINISHED = '.unfinished/';
const STORE_DELAY_MS = 5000;

export interface S3StorageOptions {
  clock: Clock;
  storeDelayMs?: number;
  limits?: S3Limits;
}

/** Stores objects in a bucket of an S3-compatible server. */
export class S3Storage implements ObjectStorage {
  readonly storeDelayMs: number;
  readonly #bucket: S3Bucket;
  readonly #hasLinks: boolean;
  readonly #deps: S3WriterDeps;

  constructor(config: S3Config, { clock, storeDelayMs = STORE_DELAY_MS, limits }: S3StorageOptions) {
    this.#bucket = new S3Bucket(config, clock, limits);
    this.#hasLinks = config.redirectsDownloads;
    this.storeDelayMs = storeDelayMs;
    this.#deps = { bucket: this.#bucket, clock, storeDelayMs, merges: { running: 0 } };
  }

  async create(key: string): Promise<ObjectWriter> {
    assertObjectKey(key);
    return S3Writer.begin(this.#deps, { key, root: `${UNFINISHED}${key}/${newId()}/` });
  }

  async put(key: string, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ObjectInfo> {
    assertObjectKey(key);
    let bytes = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const part of partsOf(body)) {
        bytes += part.byteLength;
        yield part;
      }
    }
    await upload(this.#bucket, key, counted());
    return { bytes };
  }

  async stat(key: string): Promise<ObjectInfo | null> {
    assertObjectKey(key);
    const found = await this.#bucket.head(key);
    return found && { bytes: found.bytes };
  }

  async open(key: string): Promise<StoredObject | null> {
    assertObjectKey(key);
    const found = await this.#bucket.head(key);
    return found && new S3Object(this.#bucket, key, found);
  }

  async delete(key: string): Promise<boolean> {
    assertObjectKey(key);
    const found = await this.#bucket.head(key);
    if (found) await this.#bucket.delete(key);
    return found !== null;
  }

  async *unfinished(under?: string): AsyncGenerator<UnfinishedObject> {
    if (under !== undefined) assertObjectKey(under);
    const found = new Map<string, { entries: Entry[]; changedAtMs: number }>();
    for await (const { key, changedAtMs } of this.#bucket.list(`${UNFINISHED}${under ?? ''}`)) {
      const end = key.lastIndexOf('/') + 1;
      const root = key.slice(0, end);
      const object = found.get(root) ?? { entries: [], changedAtMs: 0 };
      const entry = parseEntry(key.slice(end));
      if (entry) object.entries.push(entry);
      object.changedAtMs = Math.max(changedAtMs, object.changedAtMs);
      found.set(root, object);
    }
    for (const [root, { entries, changedAtMs }] of found) {
      const key = root.split('/').slice(1, -2).join('/');
      if (under !== undefined && key !== under && !key.startsWith(`${under}/`)) continue;
      const writer = newestWriter(entries);
      yield { key, changedAtMs, resume: () => S3Writer.resume(this.#deps, { key, root }, writer) };
    }
  }

  async link(key: string, headers: LinkHeaders): Promise<string | null> {
    assertObjectKey(key);
    return this.#hasLinks ? this.#bucket.link(key, headers) : null;
  }

  check(): Promise<void> {
    return this.#bucket.check();
  }

  [Symbol.dispose](): void {
    this.#bucket[Symbol.dispose]();
  }
}

class S3Object implements StoredObject {
  readonly bytes: number;
  readonly #bucket: S3Bucket;
  readonly #key: string;
  readonly #etag: string;

  constructor(bucket: S3Bucket, key: string, { bytes, etag }: { bytes: number; etag: string }) {
    this.#bucket = bucket;
    this.#key = key;
    this.#etag = etag;
    this.bytes = bytes;
  }

  async *read(start = 0, end = this.bytes): AsyncGenerator<Uint8Array> {
    if (start < end) yield* this.#bucket.read(this.#key, { start, end, etag: this.#etag });
  }

  /** A connection belongs to a reading, which ends it. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
