import { access, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { newId } from '@calls/foundation/ids';
import { MAX_HEAD_BYTES, type ObjectInfo, type ObjectWriter } from './object-storage.ts';
import { errnoOf, StorageError, storageErrorOf } from './storage-error.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

const PARTIAL = /^\.(?<name>.+)\.[0-9a-f-]{36}\.partial$/u;

function partialName(name: string): string {
  return `.${name}.${newId()}.partial`;
}

/** The object name of a hidden file; null for other files. */
export function nameOfPartial(fileName: string): string | null {
  return PARTIAL.exec(fileName)?.groups?.['name'] ?? null;
}

/** Writes a hidden file in the object's folder and renames it on commit. A crash leaves the hidden file. */
export class FileWriter implements ObjectWriter {
  readonly #path: string;
  readonly #partialPath: string;
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(path: string, partialPath: string, file: FileHandle, bytes = 0) {
    this.#path = path;
    this.#partialPath = partialPath;
    this.#file = file;
    this.#bytes = bytes;
  }

  static async open(path: string): Promise<FileWriter> {
    const partialPath = join(dirname(path), partialName(basename(path)));
    try {
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      return new FileWriter(path, partialPath, await open(partialPath, 'wx', FILE_MODE));
    } catch (thrown) {
      throw storageErrorOf(thrown, 'an object could not be created');
    }
  }

  /** Continues a hidden file under another name; null if it no longer exists. */
  static async resume(path: string, partialPath: string): Promise<FileWriter | null> {
    const ownPath = join(dirname(path), partialName(basename(path)));
    try {
      await rename(partialPath, ownPath);
      // From here on the previous writer cannot find the file: only this writer knows the new name.
      const { size } = await stat(ownPath);
      return new FileWriter(path, ownPath, await open(ownPath, 'r+'), size);
    } catch (thrown) {
      if (errnoOf(thrown) === 'ENOENT') return null;
      throw storageErrorOf(thrown, 'an unfinished object could not be opened');
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  async write(chunk: Uint8Array): Promise<void> {
    try {
      await this.#assertOwned();
      await this.#writeAt(chunk, this.#bytes);
    } catch (thrown) {
      throw storageErrorOf(thrown, 'an object could not be written');
    }
    this.#bytes += chunk.byteLength;
  }

  async commit(head?: Uint8Array): Promise<ObjectInfo> {
    if (head && head.byteLength > Math.min(this.#bytes, MAX_HEAD_BYTES)) {
      throw new StorageError('storage_failed', 'the header is longer than the object or than the limit');
    }
    try {
      await this.#assertOwned();
      if (head) await this.#writeAt(head, 0);
      await this.#finishFile();
      await rename(this.#partialPath, this.#path);
    } catch (thrown) {
      await this.#closeFile();
      throw storageErrorOf(thrown, 'an object could not be stored');
    }
    return { bytes: this.#bytes };
  }

  async abort(): Promise<void> {
    try {
      await this.#file.close();
      await rm(this.#partialPath, { force: true });
    } catch (thrown) {
      throw storageErrorOf(thrown, 'an unfinished object could not be deleted');
    }
  }

  async leave(): Promise<void> {
    try {
      await this.#assertOwned();
      await this.#finishFile();
    } catch (thrown) {
      await this.#closeFile();
      throw storageErrorOf(thrown, 'an unfinished object could not be stored');
    }
  }

  async #finishFile(): Promise<void> {
    // A failed write may have written a part.
    await this.#file.truncate(this.#bytes);
    await this.#file.datasync();
    await this.#file.close();
  }

  /** Closes the file after an error. Its own errors are ignored. */
  async #closeFile(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }

  /** Throws if another writer has taken over the file. */
  async #assertOwned(): Promise<void> {
    await access(this.#partialPath);
  }

  /** A file system may write less than requested. */
  async #writeAt(chunk: Uint8Array, position: number): Promise<void> {
    let written = 0;
    while (written < chunk.byteLength) {
      const { bytesWritten } = await this.#file.write(
        chunk,
        written,
        chunk.byteLength - written,
        position + written,
      );
      written += bytesWritten;
    }
  }
}
