import type { Metrics } from '@calls/telemetry/metrics';
import type { Slots } from '../admission/slots.ts';
import type { CallRelease } from './call-phase.ts';
import type { CallRegistry } from './call-registry.ts';

export interface CallMetrics {
  failedOver(wasJoined: boolean): void;
  left(outcome: CallRelease['kind']): void;
}

/** Metrics of the calls on this worker. */
export function createCallMetrics(metrics: Metrics, slots: Slots, calls: CallRegistry): CallMetrics {
  metrics.gauge({
    name: 'slots',
    help: 'Capacity of the worker, in calls; lower while processor time is lost',
    collect: () => slots.usable,
  });
  metrics.gauge({ name: 'slots_used', help: 'Slots in use or reserved', collect: () => slots.used });
  metrics.gauge({
    name: 'held',
    help: 'Calls on this worker, with or without a client',
    collect: () => calls.size,
  });
  metrics.gauge({ name: 'joined', help: 'Calls on this worker with a client', collect: () => calls.joined });
  metrics.gauge({
    name: 'suspended',
    help: 'Calls with a disconnected client that may return',
    collect: () => calls.all().filter(({ isSuspended }) => isSuspended).length,
  });
  const failovers = metrics.counter({
    name: 'failovers_total',
    help: 'Failovers of calls to this worker: `held` (waiting for the client) or `joined`',
    labels: ['phase'],
    zero: [{ phase: 'held' }, { phase: 'joined' }],
  });
  const left = metrics.counter({
    name: 'left_total',
    help: 'Calls that left this worker: `ended`, `handed_over`, or `fenced` (another worker already had it)',
    labels: ['outcome'],
    zero: [{ outcome: 'ended' }, { outcome: 'handed_over' }, { outcome: 'fenced' }],
  });
  return {
    failedOver: (wasJoined) => failovers.inc({ phase: wasJoined ? 'joined' : 'held' }),
    left: (outcome) => left.inc({ outcome }),
  };
}
