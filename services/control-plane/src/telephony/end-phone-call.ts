import type { Bus } from '@calls/bus/bus';
import type { Logger } from '@calls/foundation/logger';
import type { TelephonyProvider } from '@calls/providers/telephony/telephony-vendors';

export interface EndPhoneCallDeps {
  bus: Pick<Bus, 'callLogs' | 'commands'>;
  log: Logger;
}

/**
 * Ends a call whose provider reported that the phone call is over. `detail` says why no conversation started. Rejects if
 * the worker of the call does not respond.
 */
export async function endPhoneCall(
  { bus, log }: EndPhoneCallDeps,
  call: { callId: string; provider: TelephonyProvider; detail: string },
): Promise<void> {
  const { callId, provider, detail } = call;
  const isHeld = await notReached(bus, callId, detail);
  log.info({ callId, provider, isHeld }, 'provider reported that the phone call is over');
}

/** Whether a worker runs the call. A worker that ends it at this moment does not reply. */
async function notReached(bus: EndPhoneCallDeps['bus'], callId: string, detail: string): Promise<boolean> {
  try {
    return (await bus.commands.send(callId, { kind: 'not_reached', detail })) !== null;
  } catch (thrown) {
    if ((await bus.callLogs.last(callId))?.event.body.type === 'ended') return false;
    throw thrown;
  }
}
