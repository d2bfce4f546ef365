import type { Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import type { ObjectStorage, ObjectWriter } from '../object-storage.ts';
import { unfinishedOf } from './unfinished-objects.ts';

/** A live call writes twice a second. */
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
  if (clock.wallMs() - newest.changedAtMs < QUIET_MS) {
    throw new AppError('still_written', 'an object of a lost call is still written', { retryable: true });
  }
  for (const object of older) await (await object.resume())?.abort();
  const writer = await newest.resume();
  return writer && store(writer);
}
