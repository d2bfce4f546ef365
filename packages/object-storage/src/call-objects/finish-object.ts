import type { Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import type { ObjectStorage, ObjectWriter, UnfinishedObject } from '../object-storage.ts';

/** A live call writes twice a second. The storage may store it later. */
const QUIET_MS = 5000;

export interface FinishDeps {
  storage: ObjectStorage;
  clock: Clock;
}

/**
 * Completes the newest unfinished object that a terminated process left under the key, using `store`; null if
 * there is none. Rejects, retryable, if it may still be in use.
 */
export async function finishObject<T>(
  { storage, clock }: FinishDeps,
  key: string,
  store: (writer: ObjectWriter) => Promise<T | null>,
): Promise<T | null> {
  const [newest, ...older] = await unfinishedOf(storage, key);
  if (!newest) return null;
  if (clock.wallMs() - newest.changedAtMs < QUIET_MS + storage.storeDelayMs) {
    throw new AppError('still_written', 'an object of an interrupted call is still being written', {
      retryable: true,
    });
  }
  for (const object of older) await (await object.resume())?.abort();
  const writer = await newest.resume();
  return writer && store(writer);
}

/** Lists the unfinished objects with exactly this key, newest first. */
async function unfinishedOf(storage: ObjectStorage, key: string): Promise<UnfinishedObject[]> {
  const left: UnfinishedObject[] = [];
  for await (const object of storage.unfinished(key)) if (object.key === key) left.push(object);
  return left.sort((a, b) => b.changedAtMs - a.changedAtMs);
}

/** Runs `work`; if it fails, finishes `writer` with what it has accepted. */
export async function finishOnError<T>(writer: ObjectWriter, work: () => Promise<T>): Promise<T> {
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
