import type { Metrics } from '@calls/telemetry/metrics';
import type { Slots } from '../admission/slots.ts';
import type { CallFate } from './held-call.ts';
import type { CallRegistry } from './call-registry.ts';

export interface CallMetrics {
  takenOver(wasJoined: boolean): void;
  left(fate: CallFate['kind']): void;
}

/** Calls on this worker: how many there are, how they come and how they go. */
export function createCallMetrics(metrics: Metrics, slots: Slots, calls: CallRegistry): CallMetrics {
  metrics.gauge({ name: 'slots', help: 'Calls this worker holds at most' }).set(slots.capacity);
  metrics.gauge({ name: 'slots_used', help: 'Slots in use or reserved', collect: () => slots.used });
  metrics.gauge({ name: 'held', help: 'Calls on this worker', collect: () => calls.size });
  metrics.gauge({ name: 'joined', help: 'Joined calls on this worker', collect: () => calls.joined });
  metrics.gauge({
    name: 'suspended',
    help: 'Calls whose client was lost and may come back',
    collect: () => calls.all().filter(({ isSuspended }) => isSuspended).length,
  });
  const takeOvers = metrics.counter({
    name: 'take_overs_total',
    help: 'Calls that this worker took over from others, waiting for their client (held) or after it (joined)',
    labels: ['phase'],
  });
  const left = metrics.counter({
    name: 'left_total',
    help: 'Calls that left this worker: ended, handed_over to another, or fenced as another one had taken them',
    labels: ['fate'],
  });
  return {
    takenOver: (wasJoined) => takeOvers.inc({ phase: wasJoined ? 'joined' : 'held' }),
    left: (fate) => left.inc({ fate }),
  };
}
