import type { ObjectStorage } from '@calls/object-storage/object-storage';

/** Deletes the objects and their unfinished uploads. A missing object counts as deleted. */
export async function deleteObjects(storage: ObjectStorage, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    for await (const left of storage.unfinished(key)) await (await left.resume())?.abort();
    await storage.delete(key);
  }
}
