import type { Metrics } from '@calls/telemetry';
import type { JoinOutcome } from '../join/join-server.ts';

/** Counts clients' tries to join. */
export function countJoins(metrics: Metrics): (outcome: JoinOutcome) => void {
  const joins = metrics.counter({
    name: 'joins_total',
    help: 'Connections of clients to calls, by what became of them',
    labels: ['outcome'],
  });
  return (outcome) => joins.inc({ outcome });
}
