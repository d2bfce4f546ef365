import type { ObjectStorage, ObjectWriter, UnfinishedObject } from '../object-storage.ts';

/** Lists the unfinished objects with exactly this key, newest first. */
export async function unfinishedOf(storage: ObjectStorage, key: string): Promise<UnfinishedObject[]> {
  const left: UnfinishedObject[] = [];
  for await (const object of storage.unfinished(key)) if (object.key === key) left.push(object);
  return left.sort((a, b) => b.changedAtMs - a.changedAtMs);
}

/** Runs `work`; if it fails, finishes `writer` with what it has accepted. */
export async function orLeave<T>(writer: ObjectWriter, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    // Only the first error is reported.
    await writer.leave().catch(() => undefined);
    throw thrown;
  }
}

/** Resumes the newest unfinished object with the key; null if there is none. */
export async function resumeNewest(storage: ObjectStorage, key: string): Promise<ObjectWriter | null> {
  const [newest] = await unfinishedOf(storage, key);
  return (await newest?.resume()) ?? null;
}
