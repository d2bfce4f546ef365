import { withTimeout, type Clock } from '@calls/foundation/clock';
import type { MediaTransport } from '../ports/media-transport.ts';
import type { CallEvents } from './call-events.ts';

const TRANSFER_LIMIT_MS = 5000;

export interface TransferParts {
  transport: Pick<MediaTransport, 'transfer'>;
  services: { clock: Clock };
  callEvents: Pick<CallEvents, 'add'>;
}

/**
 * Transfers the user if the medium supports it; otherwise the provider transfers the call after it ends.
 * Resolves with the target, or null if the remote side refused.
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
  callEvents.add('warning', 'transfer_refused', `The remote side refused the transfer to ${target}.`, null);
  return null;
}
