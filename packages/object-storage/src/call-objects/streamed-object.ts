import { withTimeout, type Clock } from '@calls/foundation/clock';
import { AppError, toError } from '@calls/foundation/errors';
import type { ObjectStorage, ObjectWriter } from '../object-storage.ts';

/** Timeout for storing the object at the end of a call. */
const FINISH_LIMIT_MS = 5000;

export interface StreamedObjectOptions {
  storage: ObjectStorage;
  clock: Clock;
  key: string;
  /** Opens the writer; called immediately. */
  begin: () => Promise<ObjectWriter>;
  /** Maximum number of buffered bytes. */
  maxWaitingBytes: number;
  /** While true, data is written in pieces of half the buffer, which takes less processor time. */
  isDeferred: () => boolean;
  /** Called once if the object ends early. */
  onError: (error: Error) => void;
}

/**
 * An object written during its call. The first storage error or a full buffer ends it; what was stored by then
 * remains.
 */
export class StreamedObject {
  readonly #options: StreamedObjectOptions;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #writer: ObjectWriter | null = null;
  #writing: Promise<void> | null = null;
  #failed = false;

  constructor(options: StreamedObjectOptions) {
    this.#options = options;
    this.#writing = this.#write();
  }

  /** Appends data. Never blocks and never throws; takes ownership of the array. */
  write(chunk: Uint8Array): void {
    if (this.#failed) return;
    const { maxWaitingBytes, isDeferred } = this.#options;
    if (this.#waitingBytes + chunk.byteLength > maxWaitingBytes) {
      this.#fail(new AppError('storage_slow', 'the storage is too slow'));
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.byteLength;
    if (isDeferred() && this.#waitingBytes < maxWaitingBytes / 2) return;
    this.#writing ??= this.#write();
  }

  /** Completes the object with `store`; null if nothing was stored. Never rejects. Call it once. */
  async finish<T>(store: (writer: ObjectWriter) => Promise<T | null>): Promise<T | null> {
    const { clock, storage, key } = this.#options;
    const storing = this.#drained().then((writer) => writer && store(writer));
    try {
      return await withTimeout(clock, storing, FINISH_LIMIT_MS, `storing ${key}`);
    } catch (thrown) {
      this.#fail(toError(thrown));
      // No one else reports this error.
      storing.then((stored) => stored && storage.delete(key)).catch(() => undefined);
      return null;
    }
  }

  /** Alternative to `finish`: leaves the object unfinished, to be resumed. Never rejects. */
  async leave(): Promise<void> {
    const { clock, key } = this.#options;
    const leaving = this.#drained().then((writer) => writer?.leave());
    try {
      await withTimeout(clock, leaving, FINISH_LIMIT_MS, `storing ${key}`);
    } catch (thrown) {
      this.#fail(toError(thrown));
    }
  }

  async #drained(): Promise<ObjectWriter | null> {
    // Data that was deferred.
    if (this.#waiting.length > 0) this.#writing ??= this.#write();
    while (this.#writing) await this.#writing;
    return this.#writer;
  }

  async #write(): Promise<void> {
    // The caller needs the reference before errors are reported.
    await Promise.resolve();
    try {
      this.#writer ??= await this.#options.begin();
      for (let chunk = this.#waiting.shift(); chunk; chunk = this.#waiting.shift()) {
        await this.#writer.write(chunk);
        this.#waitingBytes = this.#waiting.reduce((sum, { byteLength }) => sum + byteLength, 0);
      }
    } catch (thrown) {
      this.#fail(toError(thrown));
    }
    this.#writing = null;
  }

  #fail(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#waiting = [];
    this.#options.onError(error);
  }
}
