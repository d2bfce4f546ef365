import type { Clock } from '@calls/foundation/clock';
import { AppError, toError } from '@calls/foundation/errors';
import { withTimeout } from '@calls/foundation/timeout';
import type { ObjectStorage, ObjectWriter } from '../object-storage.ts';

/** How long the end of a call may wait for the storage. */
const FINISH_LIMIT_MS = 5000;

export interface StreamedObjectOptions {
  storage: ObjectStorage;
  clock: Clock;
  key: string;
  /** Called at once: what it gives is written to. */
  begin: () => Promise<ObjectWriter>;
  /** What may wait for the storage. */
  maxWaitingBytes: number;
  /** Called once where the object ends early. */
  onFault: (fault: Error) => void;
}

/**
 * An object that is written while its call goes on. The storage's first fault, or more waiting bytes than there is room for,
 * is its end: what was stored by then is kept.
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

  /** What follows what was written before. Never waits and never throws; the array is the object's from now on. */
  write(chunk: Uint8Array): void {
    if (this.#failed) return;
    if (this.#waitingBytes + chunk.byteLength > this.#options.maxWaitingBytes) {
      this.#fail(new AppError('storage_slow', 'the storage is too slow'));
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.byteLength;
    this.#writing ??= this.#write();
  }

  /** Stores what could be written as `store` does; null where nothing was stored. Never rejects. Once only. */
  async finish<T>(store: (writer: ObjectWriter) => Promise<T | null>): Promise<T | null> {
    const { clock, storage, key } = this.#options;
    const storing = this.#drained().then((writer) => writer && store(writer));
    try {
      return await withTimeout(clock, storing, FINISH_LIMIT_MS, `storing ${key}`);
    } catch (thrown) {
      this.#fail(toError(thrown));
      // Nobody would know of it.
      storing.then((stored) => stored && storage.delete(key)).catch(() => undefined);
      return null;
    }
  }

  /** In place of `finish`: leaves what could be written unfinished, to be resumed. Never rejects. */
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
    while (this.#writing) await this.#writing;
    return this.#writer;
  }

  async #write(): Promise<void> {
    // Whoever made this must have it in hand before anything can fail.
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

  #fail(fault: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#waiting = [];
    this.#options.onFault(fault);
  }
}
