import type { ObjectStorage, ObjectWriter, UnfinishedObject } from '@calls/object-storage';

/** What was left unfinished under exactly this key, the newest first. */
export async function unfinishedOf(storage: ObjectStorage, key: string): Promise<UnfinishedObject[]> {
  const left: UnfinishedObject[] = [];
  for await (const object of storage.unfinished(key)) if (object.key === key) left.push(object);
  return left.sort((a, b) => b.changedAtMs - a.changedAtMs);
}

/** Goes on with the newest that was left under the key; null where there is none. */
export async function resumeNewest(storage: ObjectStorage, key: string): Promise<ObjectWriter | null> {
  const [newest] = await unfinishedOf(storage, key);
  return (await newest?.resume()) ?? null;
}
