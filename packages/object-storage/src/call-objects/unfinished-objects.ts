import type { ObjectStorage, ObjectWriter, UnfinishedObject } from '../object-storage.ts';

/** What was left unfinished under exactly this key, the newest first. */
export async function unfinishedOf(storage: ObjectStorage, key: string): Promise<UnfinishedObject[]> {
  const left: UnfinishedObject[] = [];
  for await (const object of storage.unfinished(key)) if (object.key === key) left.push(object);
  return left.sort((a, b) => b.changedAtMs - a.changedAtMs);
}

/** What `work` gives; where it fails, `writer` ends with what it has taken. */
export async function orLeave<T>(writer: ObjectWriter, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    // The first fault is the one to tell.
    await writer.leave().catch(() => undefined);
    throw thrown;
  }
}

/** Goes on with the newest that was left under the key; null where there is none. */
export async function resumeNewest(storage: ObjectStorage, key: string): Promise<ObjectWriter | null> {
  const [newest] = await unfinishedOf(storage, key);
  return (await newest?.resume()) ?? null;
}
