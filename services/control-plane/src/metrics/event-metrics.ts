import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { Clock } from '@calls/foundation/clock';
import { WAIT_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';

/** To be told of each event that took effect. */
export function eventMetrics(metrics: Metrics, clock: Clock): (event: CallLogEntry) => void {
  const applied = metrics.counter({
    name: 'events_applied_total',
    help: 'Call events that were written to rows.',
    labels: ['type'],
  });
  const ended = metrics.counter({
    name: 'ended_total',
    help: 'Calls that ended, by the reason.',
    labels: ['reason'],
  });
  const lag = metrics.histogram({
    name: 'event_lag_ms',
    help: 'From when something happened in a call until it was written.',
    buckets: WAIT_BUCKETS_MS,
  });
  return ({ body, wallClockMs }) => {
    applied.inc({ type: body.type });
    if (body.type === 'ended') ended.inc({ reason: body.endReason });
    // Of a call that was suspended the end is told later, as of the moment of the loss.
    else lag.observe(Math.max(0, clock.wallMs() - wallClockMs));
  };
}
