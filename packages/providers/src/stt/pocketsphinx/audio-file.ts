import { open, rm, type FileHandle } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomAlphanumeric } from '@calls/foundation/ids';

/** Memory, where the system offers files in memory: what callers say is not to reach a disk. */
const MEMORY_DIR = '/dev/shm';

/** A file without a name, which only the processes that were handed its descriptor can read, and which ends with them. */
export async function openNamelessFile(): Promise<FileHandle> {
  const dir = existsSync(MEMORY_DIR) ? MEMORY_DIR : tmpdir();
  const path = join(dir, `utterance-${randomAlphanumeric(16)}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

/** Makes `bytes` the whole content. */
export async function replaceContent(file: FileHandle, bytes: Uint8Array): Promise<void> {
  await file.truncate(0);
  for (let written = 0; written < bytes.byteLength;) {
    written += (await file.write(bytes, written, bytes.byteLength - written, written)).bytesWritten;
  }
}
