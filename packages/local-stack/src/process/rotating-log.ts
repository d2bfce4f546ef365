import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { toError } from '@calls/foundation/errors';

const NEWLINE = 0x0a;

/**
 * A log file of bounded size. Beyond `maxBytes` it is renamed to `<path>.1`, replacing the previous one, and a new file
 * starts, between two lines if possible. Uses at most about twice `maxBytes`.
 */
export class RotatingLog {
  readonly path: string;
  readonly #maxBytes: number;
  readonly #notice: (text: string) => void;
  #fd: number | undefined;
  #sizeBytes: number;
  #atLineStart = true;
  #isFailing = false;

  /** `notice` receives messages for the user when writing fails, and when it works again. */
  constructor(path: string, maxBytes: number, notice: (text: string) => void) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#notice = notice;
    this.#fd = openSync(path, 'a', 0o600);
    this.#sizeBytes = fstatSync(this.#fd).size;
  }

  /**
   * Does not throw: what cannot be written, for example to a full disk, is lost. Writes after `close` are ignored: a
   * stopping process may still write.
   */
  write(chunk: Buffer): void {
    if (this.#fd === undefined || chunk.length === 0) return;
    try {
      this.#append(this.#fd, chunk);
      if (this.#isFailing) this.#notice(`writes ${this.path} again`);
      this.#isFailing = false;
    } catch (thrown) {
      if (!this.#isFailing) this.#notice(`cannot write ${this.path}: ${toError(thrown).message}`);
      this.#isFailing = true;
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #append(fd: number, chunk: Buffer): void {
    const overfull = this.#sizeBytes + chunk.length > this.#maxBytes;
    const mayRotate = this.#atLineStart || this.#sizeBytes > 2 * this.#maxBytes;
    const target = overfull && this.#sizeBytes > 0 && mayRotate ? this.#rotate(fd) : fd;
    // A failure may have cut off the last line.
    if (this.#isFailing) writeSync(target, '\n');
    writeSync(target, chunk);
    this.#sizeBytes += chunk.length;
    this.#atLineStart = chunk[chunk.length - 1] === NEWLINE;
  }

  /** Returns the new file. If it cannot be opened, the next call tries again. */
  #rotate(fd: number): number {
    // The user may have deleted the file.
    if (existsSync(this.path)) renameSync(this.path, `${this.path}.1`);
    this.#fd = openSync(this.path, 'a', 0o600);
    closeSync(fd);
    this.#sizeBytes = 0;
    return this.#fd;
  }
}
