import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { withTimeout, type Clock } from '@calls/foundation/clock';
import { Readable } from 'node:stream';
import type { S3Config } from '../config.ts';
import type { LinkHeaders } from '../object-storage.ts';
import { StorageError } from '../storage-error.ts';
import { useContentMd5 } from './content-md5.ts';
import { isMissing, s3ErrorOf } from './s3-error.ts';

const CONNECT_LIMIT_MS = 3000;
/** Time limit of a request with its retries and its response. Excludes the content of an object. */
const REQUEST_LIMIT_MS = 60_000;
const ATTEMPTS = 3;
const UNREADABLE = 'an object could not be read';
const LINK_SECONDS = 300;
/** Limit of S3. */
const MAX_DELETED_AT_ONCE = 1000;
/** Used if no region is configured. Servers other than AWS accept it. */
const DEFAULT_REGION = 'us-east-1';

export interface S3Limits {
  /** Time limit from a request to the head of its response; a part has 5 MiB. */
  responseMs: number;
  /** Time limit without content while a reader waits for it. */
  stallMs: number;
}

const LIMITS: S3Limits = { responseMs: 15_000, stallMs: 15_000 };

export interface ListedObject {
  key: string;
  changedAtMs: number;
}

export interface UploadedPart {
  number: number;
  etag: string;
}

/** The requests to one bucket. Keys are relative to the configured prefix. All errors are StorageErrors. */
export class S3Bucket implements Disposable {
  readonly #client: S3Client;
  readonly #clock: Clock;
  readonly #stallMs: number;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(config: S3Config, clock: Clock, limits = LIMITS) {
    this.#clock = clock;
    this.#stallMs = limits.stallMs;
    this.#bucket = config.bucket;
    this.#prefix = config.prefix === '' ? '' : `${config.prefix}/`;
    this.#client = new S3Client({
      region: config.region ?? DEFAULT_REGION,
      forcePathStyle: config.forcePathStyle,
      ...(config.endpoint === null ? {} : { endpoint: config.endpoint }),
      ...(config.credentials ? { credentials: config.credentials } : {}),
      maxAttempts: ATTEMPTS,
      // Not all servers support the newer checksums. The signature covers the content, or TLS does.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_LIMIT_MS,
        requestTimeout: limits.responseMs,
        throwOnRequestTimeout: true,
      },
    });
  }

  async check(): Promise<void> {
    await this.#trying(`OBJECT_STORAGE_URL: the bucket ${this.#bucket} cannot be used`, (options) =>
      this.#client.send(
        new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix, MaxKeys: 1 }),
        options,
      ),
    );
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    await this.#trying('an object could not be stored', (options) =>
      this.#client.send(new PutObjectCommand({ ...this.#at(key), Body: body }), options),
    );
  }

  /** Null if the object does not exist. */
  async head(key: string): Promise<{ bytes: number; etag: string } | null> {
    return this.#orNull('an object could not be looked up', async (options) => {
      const head = await this.#client.send(new HeadObjectCommand(this.#at(key)), options);
      return { bytes: head.ContentLength ?? 0, etag: head.ETag ?? '' };
    });
  }

  /**
   * Reads from `start` to `end` (exclusive), which is after `start`. Fails if the object was replaced since it had `etag`;
   * an empty one is not compared.
   */
  async *read(
    key: string,
    { start, end, etag }: { start: number; end: number; etag: string },
  ): AsyncGenerator<Uint8Array> {
    const body = await this.#get(key, `bytes=${start}-${end - 1}`, etag);
    const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
    let bytes = 0;
    try {
      for (;;) {
        const next = await withTimeout(this.#clock, chunks.next(), this.#stallMs, 'reading an object');
        if (next.done === true) break;
        bytes += next.value.byteLength;
        yield next.value;
      }
    } catch (thrown) {
      throw s3ErrorOf(thrown, UNREADABLE);
    } finally {
      body.destroy();
    }
    if (bytes !== end - start) throw new StorageError('storage_failed', `${UNREADABLE}: it is truncated`);
  }

  async #get(key: string, range: string, etag: string): Promise<Readable> {
    const request = { ...this.#at(key), Range: range, ...(etag === '' ? {} : { IfMatch: etag }) };
    // No limit for the content, which is as long as its reader takes.
    const { Body, ETag } = await this.#trying(UNREADABLE, () =>
      this.#client.send(new GetObjectCommand(request)),
    );
    if (!(Body instanceof Readable)) throw new StorageError('storage_failed', `${UNREADABLE}: no content`);
    // An unread body that is cut off reports that by an event.
    Body.on('error', () => undefined);
    // Not all servers support the condition.
    if (etag === '' || ETag === etag) return Body;
    Body.destroy();
    throw new StorageError('storage_failed', `${UNREADABLE}: it was replaced`);
  }

  async delete(key: string): Promise<void> {
    await this.#trying('an object could not be deleted', (options) =>
      this.#client.send(new DeleteObjectCommand(this.#at(key)), options),
    );
  }

  async deleteAll(keys: readonly string[]): Promise<void> {
    const what = 'objects could not be deleted';
    for (let i = 0; i < keys.length; i += MAX_DELETED_AT_ONCE) {
      const Objects = keys.slice(i, i + MAX_DELETED_AT_ONCE).map((key) => ({ Key: this.#at(key).Key }));
      const command = new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } });
      command.middlewareStack.add(
        (next) => (args) => {
          useContentMd5(args.request);
          return next(args);
        },
        // After the SDK's own checksum, before the signature.
        { step: 'build', priority: 'low' },
      );
      const { Errors: [error] = [] } = await this.#trying(what, (options) =>
        this.#client.send(command, options),
      );
      if (error) throw new StorageError('storage_failed', `${what}: ${error.Code ?? 'no reason given'}`);
    }
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    const request = { Bucket: this.#bucket, Prefix: `${this.#prefix}${prefix}` };
    for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
      const page = await this.#trying('objects could not be listed', (options) =>
        this.#client.send(
          new ListObjectsV2Command({
            ...request,
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
          options,
        ),
      );
      for (const { Key = '', LastModified } of page.Contents ?? []) {
        yield { key: Key.slice(this.#prefix.length), changedAtMs: LastModified?.getTime() ?? 0 };
      }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    }
  }

  async beginUpload(key: string): Promise<string> {
    const { UploadId } = await this.#trying('an upload could not be started', (options) =>
      this.#client.send(new CreateMultipartUploadCommand(this.#at(key)), options),
    );
    if (UploadId === undefined) throw new StorageError('storage_failed', 'an upload got no id');
    return UploadId;
  }

  async uploadPart(key: string, uploadId: string, number: number, body: Uint8Array): Promise<UploadedPart> {
    const part = { ...this.#at(key), UploadId: uploadId, PartNumber: number, Body: body };
    const { ETag = '' } = await this.#trying('a part could not be stored', (options) =>
      this.#client.send(new UploadPartCommand(part), options),
    );
    return { number, etag: ETag };
  }

  /** Copies within the storage. */
  async copyPart(key: string, uploadId: string, number: number, from: string): Promise<UploadedPart> {
    const CopySource = `${this.#bucket}/${this.#at(from).Key}`;
    const part = { ...this.#at(key), UploadId: uploadId, PartNumber: number, CopySource };
    const { CopyPartResult } = await this.#trying('a part could not be copied', (options) =>
      this.#client.send(new UploadPartCopyCommand(part), options),
    );
    return { number, etag: CopyPartResult?.ETag ?? '' };
  }

  async completeUpload(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<void> {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
    const upload = { ...this.#at(key), UploadId: uploadId, MultipartUpload: { Parts } };
    await this.#trying('an upload could not be completed', (options) =>
      this.#client.send(new CompleteMultipartUploadCommand(upload), options),
    );
  }

  async abortUpload(key: string, uploadId: string): Promise<void> {
    await this.#trying('an upload could not be aborted', (options) =>
      this.#client.send(new AbortMultipartUploadCommand({ ...this.#at(key), UploadId: uploadId }), options),
    );
  }

  async link(key: string, { contentType, fileName }: LinkHeaders): Promise<string> {
    const request = new GetObjectCommand({
      ...this.#at(key),
      ResponseContentType: contentType,
      ResponseContentDisposition: `attachment; filename="${fileName}"`,
    });
    return this.#trying('a URL could not be signed', () =>
      getSignedUrl(this.#client, request, { expiresIn: LINK_SECONDS }),
    );
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }

  async #trying<T>(what: string, send: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    try {
      return await send({ abortSignal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
    } catch (thrown) {
      throw s3ErrorOf(thrown, what);
    }
  }

  async #orNull<T>(
    what: string,
    send: (options: { abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T | null> {
    try {
      return await send({ abortSignal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
    } catch (thrown) {
      if (isMissing(thrown)) return null;
      throw s3ErrorOf(thrown, what);
    }
  }
}
