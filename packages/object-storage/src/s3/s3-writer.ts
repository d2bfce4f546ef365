import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { MAX_HEAD_BYTES, type ObjectInfo, type ObjectWriter } from '../object-storage.ts';
import { StorageError } from '../storage-error.ts';
import { PART_BYTES, upload, type Part } from './upload.ts';
import type { S3Bucket } from './s3-bucket.ts';
import {
  contentOf,
  entryName,
  newestWriter,
  parseEntry,
  type DataEntry,
  type Entry,
} from './unfinished-entries.ts';

const MAX_WAITING_BYTES = 512 * 1024;
const MAX_READS_AT_ONCE = 4;
/** Maximum number of concurrent merges. Each has a part in memory. */
const MAX_MERGES_AT_ONCE = 2;

export interface S3WriterDeps {
  bucket: S3Bucket;
  clock: Clock;
  /** How long accepted bytes may wait in memory. */
  storeDelayMs: number;
  /** Number of merges of all writers. */
  merges: { running: number };
}

/** Where an unfinished object is. */
interface Place {
  key: string;
  /** Prefix of its entries. */
  root: string;
}

/**
 * Stores what was written as entries, every few seconds; S3 cannot append to an object. Entries of a whole part are
 * merged while the object is written, so that a commit only copies them within the storage.
 */
export class S3Writer implements ObjectWriter {
  readonly #deps: S3WriterDeps;
  readonly #place: Place;
  readonly #writer: number;
  /** The stored entries, in order and without gaps. */
  #content: readonly DataEntry[];
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #storedAtMs: number;
  /** Position of the first part that is not merged. The first part is not, since a commit may change its head. */
  #mergedTo = PART_BYTES;
  #merging: Promise<void> | null = null;
  #ended = false;

  private constructor(deps: S3WriterDeps, place: Place, writer: number, content: readonly DataEntry[]) {
    this.#deps = deps;
    this.#place = place;
    this.#writer = writer;
    this.#content = content;
    this.#storedAtMs = deps.clock.nowMs();
  }

  static async begin(deps: S3WriterDeps, place: Place): Promise<S3Writer> {
    await claim(deps.bucket, place.root, 0, 0);
    return new S3Writer(deps, place, 0, []);
  }

  /**
   * Continues an unfinished object; null if it no longer exists, or `replaced` is no longer its newest writer. Rejects if
   * another process does so at the same time.
   */
  static async resume(deps: S3WriterDeps, place: Place, replaced: number): Promise<S3Writer | null> {
    const { bucket } = deps;
    const entries = await entriesOf(bucket, place.root);
    if (entries.length === 0 || newestWriter(entries) !== replaced) return null;
    const content = contentOf(entries);
    const writer = replaced + 1;
    const own = await claim(bucket, place.root, writer, endOf(content));
    const rivals = (await entriesOf(bucket, place.root)).filter(
      (entry) => entry.kind === 'claim' && entry.writer >= writer && entry.id !== own.id,
    );
    if (rivals.length === 0) return new S3Writer(deps, place, writer, content);
    await bucket.delete(own.key);
    throw new StorageError('storage_failed', 'another process is resuming the object');
  }

  get bytes(): number {
    return endOf(this.#content) + this.#waitingBytes;
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#ended) throw new StorageError('storage_failed', 'the writer of the object has ended');
    this.#waiting.push(chunk.slice());
    this.#waitingBytes += chunk.byteLength;
    const { clock, storeDelayMs } = this.#deps;
    if (this.#waitingBytes < MAX_WAITING_BYTES && clock.nowMs() - this.#storedAtMs < storeDelayMs) return;
    try {
      await this.#store();
    } catch (thrown) {
      this.#waiting.pop();
      this.#waitingBytes -= chunk.byteLength;
      throw thrown;
    }
    this.#mergeNext();
  }

  async commit(head?: Uint8Array): Promise<ObjectInfo> {
    if (head && head.byteLength > Math.min(this.bytes, MAX_HEAD_BYTES)) {
      throw new StorageError('storage_failed', 'the header is longer than the object or than the limit');
    }
    this.#ended = true;
    await this.#merging;
    await this.#assertOwned();
    await upload(this.#deps.bucket, this.#place.key, this.#parts(head));
    // Entries that cannot be deleted count as unfinished, and are deleted as such later.
    await this.#deleteEntries().catch(() => undefined);
    return { bytes: this.bytes };
  }

  async abort(): Promise<void> {
    this.#ended = true;
    await this.#merging;
    // Another writer may have taken over.
    if (await this.#isOwned()) await this.#deleteEntries();
  }

  async leave(): Promise<void> {
    this.#ended = true;
    await this.#assertOwned();
    await this.#store();
    await this.#merging;
  }

  /** Entries end at the borders of parts. */
  async #store(): Promise<void> {
    const { clock } = this.#deps;
    const waiting = Buffer.concat(this.#waiting);
    const added: DataEntry[] = [];
    let at = endOf(this.#content);
    for (let rest = waiting; rest.byteLength > 0;) {
      const data = rest.subarray(0, PART_BYTES - (at % PART_BYTES));
      added.push(await this.#put(at, data));
      at += data.byteLength;
      rest = rest.subarray(data.byteLength);
    }
    this.#content = [...this.#content, ...added];
    [this.#waiting, this.#waitingBytes] = [[], 0];
    this.#storedAtMs = clock.nowMs();
  }

  async #put(at: number, data: Uint8Array): Promise<DataEntry> {
    const entry = { kind: 'data', writer: this.#writer, at, bytes: data.byteLength } as const;
    await this.#deps.bucket.put(`${this.#place.root}${entryName(entry)}`, data);
    return entry;
  }

  /** Merges the next whole part in the background. */
  #mergeNext(): void {
    const { merges } = this.#deps;
    const end = this.#mergedTo + PART_BYTES;
    if (this.#merging || end > endOf(this.#content) || merges.running >= MAX_MERGES_AT_ONCE) return;
    merges.running += 1;
    // After an error, the next write tries again, and a commit reads what is not merged.
    this.#merging = this.#merge(end)
      .catch(() => undefined)
      .then(() => {
        merges.running -= 1;
        this.#merging = null;
      });
  }

  async #merge(end: number): Promise<void> {
    const start = this.#mergedTo;
    const parts = this.#within(start, end);
    if (parts.length > 1) {
      const merged = await this.#put(start, await this.#read(start, end));
      const others = this.#content.filter((entry) => !parts.includes(entry));
      this.#content = [...others, merged].sort((a, b) => a.at - b.at);
    }
    this.#mergedTo = end;
  }

  async *#parts(head: Uint8Array | undefined): AsyncGenerator<Part> {
    for (let start = 0; start < this.bytes; start += PART_BYTES) {
      const end = Math.min(start + PART_BYTES, this.bytes);
      const [only, ...others] = this.#within(start, end);
      if (start > 0 && only?.bytes === PART_BYTES && others.length === 0) {
        yield { copyOf: `${this.#place.root}${entryName(only)}` };
        continue;
      }
      const part = await this.#read(start, end);
      if (start === 0 && head) part.set(head);
      yield part;
    }
  }

  #within(start: number, end: number): DataEntry[] {
    return this.#content.filter(({ at }) => at >= start && at < end);
  }

  /** Reads what was stored and what waits; entries do not cross `start`. */
  async #read(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start);
    const entries = this.#within(start, end);
    for (let i = 0; i < entries.length; i += MAX_READS_AT_ONCE) {
      const some = entries.slice(i, i + MAX_READS_AT_ONCE);
      await Promise.all(some.map(async (entry) => bytes.set(await this.#contentOf(entry), entry.at - start)));
    }
    const stored = endOf(this.#content);
    if (end <= stored) return bytes;
    const waiting = Buffer.concat(this.#waiting);
    bytes.set(waiting.subarray(Math.max(0, start - stored), end - stored), Math.max(0, stored - start));
    return bytes;
  }

  async #contentOf(entry: DataEntry): Promise<Uint8Array> {
    const range = { start: 0, end: entry.bytes, etag: '' };
    const chunks: Uint8Array[] = [];
    const body = this.#deps.bucket.read(`${this.#place.root}${entryName(entry)}`, range);
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async #isOwned(): Promise<boolean> {
    return newestWriter(await entriesOf(this.#deps.bucket, this.#place.root)) === this.#writer;
  }

  async #assertOwned(): Promise<void> {
    if (!(await this.#isOwned()))
      throw new StorageError('storage_failed', 'another process has resumed the object');
  }

  async #deleteEntries(): Promise<void> {
    const keys: string[] = [];
    for await (const { key } of this.#deps.bucket.list(this.#place.root)) keys.push(key);
    await this.#deps.bucket.deleteAll(keys);
  }
}

function endOf(content: readonly DataEntry[]): number {
  const last = content.at(-1);
  return last ? last.at + last.bytes : 0;
}

async function claim(
  bucket: S3Bucket,
  root: string,
  writer: number,
  at: number,
): Promise<{ key: string; id: string }> {
  const id = newId();
  const key = `${root}${entryName({ kind: 'claim', writer, at, id })}`;
  await bucket.put(key, new Uint8Array());
  return { key, id };
}

async function entriesOf(bucket: S3Bucket, root: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const { key } of bucket.list(root)) {
    const entry = parseEntry(key.slice(root.length));
    if (entry) entries.push(entry);
  }
  return entries;
}
