import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { Clock } from '@calls/foundation/clock';
import { WAIT_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';

/** Returns a function to call with each applied event. */
export function eventMetrics(metrics: Metrics, clock: Clock): (event: CallLogEntry) => void {
  const applied = metrics.counter({
    name: 'events_applied_total',
    help: 'Call log entries written to the database, without duplicates',
    labels: ['type'],
  });
  const ended = metrics.counter({
    name: 'ended_total',
    help: 'Ended calls, by end reason',
    labels: ['reason'],
    zero: [{ reason: 'system_error' }, { reason: 'connection_error' }],
  });
  const lag = metrics.histogram({
    name: 'event_lag_ms',
    help: 'Time from a call log entry until it is in the database',
    buckets: WAIT_BUCKETS_MS,
  });
  return ({ body, wallClockMs }) => {
    applied.inc({ type: body.type });
    if (body.type === 'ended') ended.inc({ reason: body.endReason });
    // The end of a suspended call is reported later, with the time of the loss.
    else lag.observe(Math.max(0, clock.wallMs() - wallClockMs));
  };
}
