import type { Clock } from '@calls/foundation/clock';
import { withTimeout } from '@calls/foundation/timeout';
import type { MediaTransport } from '../ports/media-transport.ts';
import type { CallEvents } from './call-events.ts';

const TRANSFER_LIMIT_MS = 5000;

export interface TransferParts {
  transport: Pick<MediaTransport, 'transfer'>;
  services: { clock: Clock };
  notes: Pick<CallEvents, 'add'>;
}

/**
 * Hands the user over by the medium, where that can; elsewhere it is for whoever reads how the call ended. Resolves with whom the
 * user is to talk to from now on; null where the other side won't.
 */
export async function transferTo(
  target: string,
  { transport, services, notes }: TransferParts,
): Promise<string | null> {
  if (!transport.transfer) return target;
  const asked = transport.transfer(target);
  const isMoved = await withTimeout(services.clock, asked, TRANSFER_LIMIT_MS, 'a transfer').catch(
    () => false,
  );
  if (isMoved) return target;
  notes.add('warning', 'transfer_refused', `The other side would not call ${target}.`, null);
  return null;
}
