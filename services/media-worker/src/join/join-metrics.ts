import type { Metrics } from '@calls/telemetry/metrics';
import type { OnJoin } from './join-outcome.ts';

/** Counts clients' tries to join. */
export function countJoins(metrics: Metrics): OnJoin {
  const joins = metrics.counter({
    name: 'joins_total',
    help: 'Join attempts by outcome and, for successful ones, by medium',
    labels: ['outcome', 'by'],
  });
  return (outcome, by) => joins.inc({ outcome, by: by ?? 'none' });
}
