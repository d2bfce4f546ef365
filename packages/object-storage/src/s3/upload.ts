import type { S3Bucket, UploadedPart } from './s3-bucket.ts';

/** All parts but the last have this size; S3 allows no smaller one. S3's limit of 10,000 parts allows 52 GB. */
export const PART_BYTES = 5 * 1024 * 1024;
const MAX_COPIES_AT_ONCE = 8;

/** Content, or a stored object that has it. */
export type Part = Uint8Array | { copyOf: string };

/** Stores an object that consists of `parts`; nothing is visible if that fails. Has at most two parts in memory. */
export async function upload(bucket: S3Bucket, key: string, parts: AsyncIterable<Part>): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  const second = first.done === true ? first : await iterator.next();
  const only = first.done === true ? new Uint8Array() : first.value;
  if (second.done === true && only instanceof Uint8Array) {
    await bucket.put(key, only);
    return;
  }
  const uploadId = await bucket.beginUpload(key);
  const stored = new PartsUpload(bucket, key, uploadId);
  try {
    for (let next = first; next.done !== true; next = next === first ? second : await iterator.next()) {
      await stored.add(next.value);
    }
    await bucket.completeUpload(key, uploadId, await stored.finish());
  } catch (thrown) {
    await stored.settled();
    // The first error is reported. The bucket's lifecycle rule removes what an abort leaves.
    await bucket.abortUpload(key, uploadId).catch(() => undefined);
    throw thrown;
  }
}

class PartsUpload {
  readonly #bucket: S3Bucket;
  readonly #key: string;
  readonly #uploadId: string;
  readonly #stored: UploadedPart[] = [];
  #copies: Promise<UploadedPart>[] = [];
  #number = 0;

  constructor(bucket: S3Bucket, key: string, uploadId: string) {
    this.#bucket = bucket;
    this.#key = key;
    this.#uploadId = uploadId;
  }

  async add(part: Part): Promise<void> {
    this.#number += 1;
    const place = [this.#key, this.#uploadId, this.#number] as const;
    if (part instanceof Uint8Array) {
      await this.#copied();
      this.#stored.push(await this.#bucket.uploadPart(...place, part));
      return;
    }
    this.#copies.push(this.#bucket.copyPart(...place, part.copyOf));
    if (this.#copies.length >= MAX_COPIES_AT_ONCE) await this.#copied();
  }

  async finish(): Promise<UploadedPart[]> {
    await this.#copied();
    return this.#stored;
  }

  /** Waits for copies that still run; after an error, which is reported instead of theirs. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#copies);
  }

  async #copied(): Promise<void> {
    const copies = this.#copies;
    this.#copies = [];
    this.#stored.push(...(await Promise.all(copies)));
  }
}

/** Regroups a body into parts. */
export async function* partsOf(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    for (let rest = chunk; rest.byteLength > 0;) {
      const taken = rest.slice(0, PART_BYTES - bytes);
      rest = rest.subarray(taken.byteLength);
      waiting.push(taken);
      bytes += taken.byteLength;
      if (bytes < PART_BYTES) continue;
      yield Buffer.concat(waiting);
      [waiting, bytes] = [[], 0];
    }
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
