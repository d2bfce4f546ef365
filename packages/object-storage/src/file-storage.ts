import {
  access,
  constants,
  mkdir,
  open,
  readdir,
  stat,
  statfs,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { FileWriter, nameOfPartial } from './file-writer.ts';
import { assertObjectKey } from './object-key.ts';
import type {
  ObjectInfo,
  ObjectStorage,
  ObjectWriter,
  StoredObject,
  UnfinishedObject,
} from './object-storage.ts';
import { errnoOf, StorageError, storageErrorOf } from './storage-error.ts';

const READ_CHUNK_BYTES = 64 * 1024;
/** With less free space, a check fails. A minute of a recording takes 4 MB. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;
/** Errors for missing names, and for names that are a part of another one. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

/**
 * Stores objects as files in a folder that several processes of a machine may share. Files are readable by their owner
 * only. The folder is created by a check or with the first object.
 */
export class FileStorage implements ObjectStorage {
  readonly storeDelayMs = 0;
  readonly #root: string;

  constructor(root: string) {
    this.#root = resolve(root);
  }

  async create(key: string): Promise<ObjectWriter> {
    return FileWriter.open(this.#pathOf(key));
  }

  async put(key: string, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ObjectInfo> {
    const writer = await this.create(key);
    try {
      for await (const chunk of body) await writer.write(chunk);
      return await writer.commit();
    } catch (thrown) {
      // The first error is reported.
      await writer.abort().catch(() => undefined);
      throw thrown;
    }
  }

  async stat(key: string): Promise<ObjectInfo | null> {
    const path = this.#pathOf(key);
    return orNull('an object could not be looked up', async () => {
      const found = await stat(path);
      return found.isFile() ? { bytes: found.size } : null;
    });
  }

  async open(key: string): Promise<StoredObject | null> {
    const path = this.#pathOf(key);
    return orNull('an object could not be opened', async () => {
      const file = await open(path, 'r');
      const found = await file.stat();
      if (found.isFile()) return new OpenFile(file, found.size);
      await file.close();
      return null;
    });
  }

  async delete(key: string): Promise<boolean> {
    const path = this.#pathOf(key);
    const deleted = await orNull('an object could not be deleted', async () => {
      if (!(await stat(path)).isFile()) return null;
      await unlink(path);
      return true;
    });
    return deleted ?? false;
  }

  async *unfinished(under?: string): AsyncGenerator<UnfinishedObject> {
    const path = under === undefined ? this.#root : this.#pathOf(under);
    const beside = under === undefined ? [] : await filesIn(dirname(path), false);
    const within = await filesIn(path, true);
    for (const partialPath of [...beside, ...within]) {
      const name = nameOfPartial(basename(partialPath));
      if (name === null) continue;
      const objectPath = join(dirname(partialPath), name);
      if (objectPath !== path && !objectPath.startsWith(`${path}${sep}`)) continue;
      const found = await orNull('an unfinished object could not be looked up', () => stat(partialPath));
      if (!found) continue;
      yield {
        key: relative(this.#root, objectPath).split(sep).join('/'),
        changedAtMs: found.mtimeMs,
        resume: () => FileWriter.resume(objectPath, partialPath),
      };
    }
  }

  link(): Promise<string | null> {
    return Promise.resolve(null);
  }

  async check(): Promise<void> {
    try {
      await mkdir(this.#root, { recursive: true, mode: 0o700 });
      await access(this.#root, constants.W_OK);
      const { blocks, bavail, bsize } = await statfs(this.#root);
      // Some network file systems do not report their size.
      if (blocks > 0 && bavail * bsize < MIN_FREE_BYTES)
        throw new StorageError('storage_full', 'the file system of the objects has less than 16 MiB left');
    } catch (thrown) {
      throw storageErrorOf(thrown, 'the folder of the objects cannot be written');
    }
  }

  [Symbol.dispose](): void {
    // Holds nothing open.
  }

  #pathOf(key: string): string {
    assertObjectKey(key);
    return join(this.#root, key);
  }
}

class OpenFile implements StoredObject {
  readonly bytes: number;
  readonly #file: FileHandle;

  constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.bytes = bytes;
  }

  async *read(start = 0, end = this.bytes): AsyncGenerator<Uint8Array> {
    try {
      for (let position = start; position < end;) {
        const chunk = new Uint8Array(Math.min(READ_CHUNK_BYTES, end - position));
        const { bytesRead } = await this.#file.read(chunk, 0, chunk.byteLength, position);
        if (bytesRead === 0) throw new StorageError('storage_failed', 'an object is shorter than it was');
        position += bytesRead;
        yield chunk.subarray(0, bytesRead);
      }
    } catch (thrown) {
      throw storageErrorOf(thrown, 'an object could not be read');
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }

  /** Idempotent, like FileHandle's disposal. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

/** Paths of the files; empty if the folder does not exist. */
async function filesIn(folder: string, recursive: boolean): Promise<string[]> {
  const found = await orNull('objects could not be listed', () => readdir(folder, { recursive }));
  return (found ?? []).map((name) => join(folder, name));
}

async function orNull<T>(what: string, find: () => Promise<T | null>): Promise<T | null> {
  try {
    return await find();
  } catch (thrown) {
    if (ABSENT.has(errnoOf(thrown) ?? '')) return null;
    throw storageErrorOf(thrown, what);
  }
}
