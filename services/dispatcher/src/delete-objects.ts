import type { ObjectStorage } from '@calls/object-storage/object-storage';

/** What of them was begun and never finished goes too. One that isn't there counts as deleted. */
export async function deleteObjects(storage: ObjectStorage, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    for await (const left of storage.unfinished(key)) await (await left.resume())?.abort();
    await storage.delete(key);
  }
}
