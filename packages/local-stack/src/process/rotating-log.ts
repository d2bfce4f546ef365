import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

const NEWLINE = 0x0a;

/**
 * A log file of bounded size. Beyond `maxBytes` it is renamed to `<path>.1`, replacing the previous one, and a new file
 * starts, between two lines if possible. Uses at most about twice `maxBytes`.
 */
export class RotatingLog {
  readonly path: string;
  readonly #maxBytes: number;
  #fd: number | undefined;
  #sizeBytes: number;
  #atLineStart = true;

  constructor(path: string, maxBytes: number) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#fd = openSync(path, 'a', 0o600);
    this.#sizeBytes = fstatSync(this.#fd).size;
  }

  /** Writes after `close` are ignored: a stopping process may still write. */
  write(chunk: Buffer): void {
    if (this.#fd === undefined || chunk.length === 0) return;
    const overfull = this.#sizeBytes + chunk.length > this.#maxBytes;
    if (overfull && this.#sizeBytes > 0 && (this.#atLineStart || this.#sizeBytes > 2 * this.#maxBytes)) {
      this.#rotate(this.#fd);
    }
    writeSync(this.#fd, chunk);
    this.#sizeBytes += chunk.length;
    this.#atLineStart = chunk[chunk.length - 1] === NEWLINE;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #rotate(fd: number): void {
    closeSync(fd);
    renameSync(this.path, `${this.path}.1`);
    this.#fd = openSync(this.path, 'a', 0o600);
    this.#sizeBytes = 0;
  }
}
