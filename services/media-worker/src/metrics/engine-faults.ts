import type { EngineFault } from '@calls/providers/fallback/engine-order';
import type { FallbackRole } from '@calls/providers/registry';
import type { Metrics } from '@calls/telemetry/metrics';

/** Counts failures of engines that have a fallback; `outcome` says whether a fallback was used. */
export function countEngineFaults(metrics: Metrics): (role: FallbackRole, fault: EngineFault) => void {
  const faults = metrics.counter<'role' | 'fault' | 'outcome'>({
    name: 'engine_faults_total',
    help: 'Failures of engines that have a fallback',
    labels: ['role', 'fault', 'outcome'],
  });
  return (role, { fault: { fault }, next }) =>
    faults.inc({ role, fault, outcome: next === null ? 'failed' : 'taken_over' });
}
