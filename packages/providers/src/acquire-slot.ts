import { ProviderError } from '@calls/conversation/ports/provider-error';
import { QueueFullError } from '@calls/foundation/bounded-queue';
import type { Clock } from '@calls/foundation/clock';
import { TimeoutError } from '@calls/foundation/errors';
import { withTimeout } from '@calls/foundation/timeout';
import type { Slots } from './slots.ts';

export interface SlotRequest {
  /** Names the adapter in errors. */
  provider: string;
  slots: Slots;
  clock: Clock;
  limitMs: number;
  signal: AbortSignal;
}

/**
 * A slot of an engine, as the function that gives it back (idempotent). Rejects with the signal's reason, with a
 * ProviderError `timeout` after `limitMs`, or `refused` where too many wait; then it no longer waits.
 */
export async function acquireSlot(request: SlotRequest): Promise<() => void> {
  const { provider, slots, clock, limitMs, signal } = request;
  const gaveUp = new AbortController();
  const slot = slots.acquire(AbortSignal.any([signal, gaveUp.signal]));
  try {
    return await withTimeout(clock, slot, limitMs, 'the wait for the engine');
  } catch (thrown) {
    gaveUp.abort(thrown);
    // It may have been granted in the moment of giving up.
    slot.then(
      (release) => release(),
      () => undefined,
    );
    if (thrown instanceof TimeoutError)
      throw new ProviderError(provider, 'timeout', `not free within ${limitMs} ms`, { cause: thrown });
    if (thrown instanceof QueueFullError)
      throw new ProviderError(provider, 'refused', 'too many requests wait', { cause: thrown });
    throw thrown;
  }
}
