import type { ObjectStorage } from '@calls/object-storage';

/** One that isn't there counts as deleted. */
export async function deleteObjects(storage: ObjectStorage, keys: readonly string[]): Promise<void> {
  for (const key of keys) await storage.delete(key);
}
