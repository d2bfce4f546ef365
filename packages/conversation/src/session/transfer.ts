import { withTimeout, type Clock } from '@calls/foundation/clock';
import type { MediaTransport } from '../ports/media-transport.ts';
import type { CallEvents } from './call-events.ts';

/** Longer than the transport waits for the target to answer. */
const TRANSFER_LIMIT_MS = 90_000;

export interface TransferParts {
  transport: Pick<MediaTransport, 'transfer'>;
  services: { clock: Clock };
  callEvents: Pick<CallEvents, 'add'>;
}

/**
 * Transfers the user if the medium supports it; otherwise the provider transfers the call after it ends.
 * Resolves with the target, or null if the remote side refused or the target did not answer.
 */
export async function transferTo(
  target: string,
  { transport, services, callEvents }: TransferParts,
): Promise<string | null> {
  if (!transport.transfer) return target;
  const asked = transport.transfer(target);
  const isTransferred = await withTimeout(services.clock, asked, TRANSFER_LIMIT_MS, 'a transfer').catch(
    () => false,
  );
  if (isTransferred) return target;
  callEvents.add(
    'warning',
    'transfer_refused',
    `The transfer to ${target} was refused or not answered.`,
    null,
  );
  return null;
}
