/** Of one object. */
export interface ObjectInfo {
  bytes: number;
}

/** Bytes by key, for what is too large for rows. Keys are checked (`assertObjectKey`); every fault is a StorageError. */
export interface ObjectStorage {
  /** Begins an object of unknown length. Nothing is to be seen under the key before `commit`. */
  create(key: string): Promise<ObjectWriter>;
  /** Stores the whole of `body` under the key, in place of what was there; nothing where `body` fails. */
  put(key: string, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ObjectInfo>;
  /** Null where there is no such object. */
  stat(key: string): Promise<ObjectInfo | null>;
  /** Opens an object for reading; what happens to its key afterwards doesn't change what is read. Null where there is none. */
  open(key: string): Promise<StoredObject | null>;
  /** Whether there was such an object. */
  delete(key: string): Promise<boolean>;
  /**
   * Objects that were begun and neither committed nor given up: their writers died, or are still at it. `under` is the key
   * of one, or a folder of keys; without it: all.
   */
  unfinished(under?: string): AsyncIterable<UnfinishedObject>;
}

export interface UnfinishedObject {
  readonly key: string;
  /** When it last took something, in wall time. */
  readonly changedAtMs: number;
  /** Continues after the bytes already written; null if the object no longer exists. The previous writer fails. */
  resume(): Promise<ObjectWriter | null>;
}

/** One writer, one call at a time. Ends with `commit`, `abort` or `leave`. */
export interface ObjectWriter {
  /** What it has taken, in bytes. */
  readonly bytes: number;
  /** Resolves when `chunk` is taken; where it rejects, nothing of `chunk` counts. */
  write(chunk: Uint8Array): Promise<void>;
  /**
   * Makes what was taken the object under the key, in place of what was there. `head` goes over its first bytes: for
   * formats that begin with a length; at most 4 KiB and no more than was written.
   */
  commit(head?: Uint8Array): Promise<ObjectInfo>;
  /** Leaves nothing. */
  abort(): Promise<void>;
  /** Leaves what was taken unfinished, to be resumed. */
  leave(): Promise<void>;
}

export interface StoredObject extends AsyncDisposable {
  readonly bytes: number;
  /** The bytes from `start` up to and without `end`. Once only; disposes of the object at its end. */
  read(start?: number, end?: number): AsyncIterable<Uint8Array>;
}

export const MAX_HEAD_BYTES = 4096;
