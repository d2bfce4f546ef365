/** Properties of an object. */
export interface ObjectInfo {
  bytes: number;
}

/**
 * Stores bytes by key, for data that is too large for rows. Keys are validated (`assertObjectKey`). All errors are
 * StorageErrors.
 */
export interface ObjectStorage extends Disposable {
  /** Starts an object of unknown length. It is not visible under the key before `commit`. */
  create(key: string): Promise<ObjectWriter>;
  /** Stores `body` under the key, replacing an existing object; has no effect if `body` fails. */
  put(key: string, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ObjectInfo>;
  /** Null if the object does not exist. */
  stat(key: string): Promise<ObjectInfo | null>;
  /**
   * Opens an object for reading. If the key changes later, reading returns the opened content or fails. Null if the
   * object does not exist.
   */
  open(key: string): Promise<StoredObject | null>;
  /** Returns whether the object existed. */
  delete(key: string): Promise<boolean>;
  /**
   * Objects that were started but neither committed nor aborted: their writers crashed or are still writing. `under`:
   * key of an object or folder; default: all.
   */
  unfinished(under?: string): AsyncIterable<UnfinishedObject>;
  /** How long written bytes may wait until a later write stores them; a crash loses what waits. */
  readonly storeDelayMs: number;
  /**
   * A URL that serves the object, whole or by `Range`, without further permission for some minutes. Null if clients
   * cannot reach the storage.
   */
  link(key: string, headers: LinkHeaders): Promise<string | null>;
  /** Rejects if the storage is unavailable. */
  check(): Promise<void>;
}

/** Headers of responses to a link. */
export interface LinkHeaders {
  contentType: string;
  /** File name for downloads: letters, digits, dots and hyphens. */
  fileName: string;
}

export interface UnfinishedObject {
  readonly key: string;
  /** Time of the last write, in wall time. */
  readonly changedAtMs: number;
  /**
   * Continues after the stored bytes; null if the object no longer exists. The previous writer fails, when it commits or
   * leaves at the latest.
   */
  resume(): Promise<ObjectWriter | null>;
}

/** One writer, one call at a time. Ends with `commit`, `abort` or `leave`. */
export interface ObjectWriter {
  /** Number of accepted bytes. */
  readonly bytes: number;
  /** Resolves when `chunk` is accepted. If it rejects, no part of `chunk` counts. */
  write(chunk: Uint8Array): Promise<void>;
  /**
   * Publishes the accepted bytes under the key, replacing an existing object. `head` overwrites the first bytes, for
   * formats that start with a length; at most 4 KiB and no more than was written.
   */
  commit(head?: Uint8Array): Promise<ObjectInfo>;
  /** Discards the object. */
  abort(): Promise<void>;
  /** Leaves the object unfinished, to be resumed. */
  leave(): Promise<void>;
}

export interface StoredObject extends AsyncDisposable {
  readonly bytes: number;
  /** Reads from `start` to `end` (exclusive). Call it once; disposes the object at its end. */
  read(start?: number, end?: number): AsyncIterable<Uint8Array>;
}

export const MAX_HEAD_BYTES = 4096;
