import { open, rm, type FileHandle } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomAlphanumeric } from '@calls/foundation/ids';

/** A memory file system, so that speech is not written to disk. */
const MEMORY_DIR = '/dev/shm';

/** An unlinked file: only processes with its descriptor can read it, and it disappears with them. */
export async function openUnlinkedFile(): Promise<FileHandle> {
  const dir = existsSync(MEMORY_DIR) ? MEMORY_DIR : tmpdir();
  const path = join(dir, `speech-${randomAlphanumeric(16)}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}
