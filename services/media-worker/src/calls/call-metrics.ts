import type { Metrics } from '@calls/telemetry/metrics';
import type { Slots } from '../admission/slots.ts';
import type { CallFate } from './held-call.ts';
import type { CallRegistry } from './call-registry.ts';

export interface CallMetrics {
  takenOver(wasJoined: boolean): void;
  left(fate: CallFate['kind']): void;
}

/** Metrics of the calls on this worker. */
export function createCallMetrics(metrics: Metrics, slots: Slots, calls: CallRegistry): CallMetrics {
  metrics.gauge({ name: 'slots', help: 'Calls this worker holds at most' }).set(slots.capacity);
  metrics.gauge({ name: 'slots_used', help: 'Slots in use or reserved', collect: () => slots.used });
  metrics.gauge({ name: 'held', help: 'Calls on this worker', collect: () => calls.size });
  metrics.gauge({ name: 'joined', help: 'Joined calls on this worker', collect: () => calls.joined });
  metrics.gauge({
    name: 'suspended',
    help: 'Calls whose client disconnected and may reconnect',
    collect: () => calls.all().filter(({ isSuspended }) => isSuspended).length,
  });
  const takeOvers = metrics.counter({
    name: 'take_overs_total',
    help: 'Calls taken over from other workers, before (held) or after (joined) their client joined',
    labels: ['phase'],
  });
  const left = metrics.counter({
    name: 'left_total',
    help: 'Calls that left this worker: ended, handed_over, or fenced because another worker owns them',
    labels: ['fate'],
  });
  return {
    takenOver: (wasJoined) => takeOvers.inc({ phase: wasJoined ? 'joined' : 'held' }),
    left: (fate) => left.inc({ fate }),
  };
}
