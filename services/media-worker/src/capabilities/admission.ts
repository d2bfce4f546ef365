import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { Admission, countAdmissions } from '../admission/admission.ts';
import { canMoveInTurn } from '../calls/drain-pace.ts';
import type { MediaWorkerConfig } from '../config.ts';
import type { CallsOffer } from './calls.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { JoinServerOffer } from './join-server.ts';
import type { SlotsOffer } from './slots.ts';

/** Takes created calls from the queue. When it stops, live calls end or move to other workers within the drain limit. */
export function startAdmission(
  { drainLimitMs }: Pick<MediaWorkerConfig, 'drainLimitMs'>,
  deps: Pick<Infrastructure, 'bus' | 'metrics' | 'clock' | 'log'> & CallsOffer & JoinServerOffer & SlotsOffer,
): Promise<Capability<object>> {
  const { bus, metrics, calls, host, offers, joinServer, holder, slots, load, clock, log } = deps;
  const drain = async (): Promise<void> => {
    const live = calls.all().filter(({ isLive }) => isLive).length;
    if (canMoveInTurn(drainLimitMs, live)) log.info({ calls: live, drainLimitMs }, 'draining live calls');
    else
      log.warn(
        { calls: live, drainLimitMs },
        'draining live calls; DRAIN_LIMIT_MS is too short to move them one after the other',
      );
    await Promise.all([host.drain(drainLimitMs), joinServer.closeForwarded(drainLimitMs)]);
  };
  return startCapability(log, (components) => {
    components.add('calls', drain, drainLimitMs);
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
