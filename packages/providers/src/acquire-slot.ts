import { ProviderError } from '@calls/engine-ports/provider-error';
import { QueueFullError } from '@calls/foundation/bounded-queue';
import { withTimeout, type Clock } from '@calls/foundation/clock';
import { TimeoutError } from '@calls/foundation/errors';
import type { Slots } from './slots.ts';

export interface SlotRequest {
  /** Adapter name for errors. */
  provider: string;
  slots: Slots;
  clock: Clock;
  limitMs: number;
  signal: AbortSignal;
}

/**
 * Acquires a slot of an engine and returns the function that releases it (idempotent). Rejects with the signal's
 * reason, with a ProviderError `timeout` after `limitMs`, or with `refused` if too many requests wait.
 */
export async function acquireSlot(request: SlotRequest): Promise<() => void> {
  const { provider, slots, clock, limitMs, signal } = request;
  const gaveUp = new AbortController();
  const slot = slots.acquire(AbortSignal.any([signal, gaveUp.signal]));
  try {
    return await withTimeout(clock, slot, limitMs, 'the wait for the engine');
  } catch (thrown) {
    gaveUp.abort(thrown);
    // The slot may have been granted at the same moment.
    slot.then(
      (release) => release(),
      () => undefined,
    );
    if (thrown instanceof TimeoutError)
      throw new ProviderError(provider, 'timeout', `no free slot within ${limitMs} ms`, { cause: thrown });
    if (thrown instanceof QueueFullError)
      throw new ProviderError(provider, 'refused', 'too many requests are waiting', { cause: thrown });
    throw thrown;
  }
}
