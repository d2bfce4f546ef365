import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry';
import type { WebRtcMeter } from '@calls/transports';

/** What WebRTC of this process reports. */
export function createWebRtcMeter(metrics: Metrics): WebRtcMeter {
  const setUps = metrics.histogram<'outcome'>({
    name: 'webrtc_set_up_ms',
    help: 'From the opening of a signalling socket until media flows, or why it does not',
    labels: ['outcome'],
    buckets: [...LATENCY_BUCKETS_MS, 15_000],
  });
  const deaths = metrics.counter({
    name: 'webrtc_worker_deaths_total',
    help: 'mediasoup workers that died, or could not be started',
  });
  return {
    setUp: (outcome, durationMs) => setUps.observe({ outcome }, durationMs),
    workerDied: () => deaths.inc(),
  };
}
