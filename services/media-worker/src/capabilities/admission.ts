import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { Admission, countAdmissions } from '../admission/admission.ts';
import type { MediaWorkerConfig } from '../config.ts';
import type { CallsOffer } from './calls.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { JoinServerOffer } from './join-server.ts';
import type { SlotsOffer } from './slots.ts';

/** Takes created calls from the queue. When it stops, live calls end or move to other workers within the drain limit. */
export function startAdmission(
  { drainLimitMs }: Pick<MediaWorkerConfig, 'drainLimitMs'>,
  deps: Pick<Infrastructure, 'bus' | 'metrics' | 'clock' | 'log'> &
    Pick<CallsOffer, 'host' | 'offers'> &
    JoinServerOffer &
    SlotsOffer,
): Promise<Capability<object>> {
  const { bus, metrics, host, offers, joinServer, holder, slots, load, clock, log } = deps;
  return startCapability(log, (components) => {
    components.add('calls', async () => {
      await Promise.all([host.drain(drainLimitMs), joinServer.endPassed(drainLimitMs)]);
    });
    const admission = new Admission({
      bus,
      holder,
      slots,
      offers,
      clock,
      log,
      onWaited: countAdmissions(metrics, slots, load),
      onAdmitted: (delivery, lease) => host.admit(delivery, lease),
    });
    components.add('admission', () => admission.stop());
    return {};
  });
}
