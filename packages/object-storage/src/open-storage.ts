import type { Clock } from '@calls/foundation/clock';
import type { ObjectStorageConfig } from './config.ts';
import { FileStorage } from './file-storage.ts';
import type { ObjectStorage } from './object-storage.ts';

/** Rejects if the storage is unavailable. */
export async function openStorage(config: ObjectStorageConfig, clock: Clock): Promise<ObjectStorage> {
  if (config.kind === 'folder') return new FileStorage(config.directory);
  // The AWS SDK takes 30 MB.
  const { S3Storage } = await import('./s3/s3-storage.ts');
  const storage = new S3Storage(config, { clock });
  try {
    await storage.check();
  } catch (thrown) {
    storage[Symbol.dispose]();
    throw thrown;
  }
  return storage;
}
