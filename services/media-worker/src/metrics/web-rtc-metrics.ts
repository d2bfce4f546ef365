import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry';
import type { WebRtcMeter } from '@calls/transports';

/** What WebRTC of this process reports; `connections` is asked at each scrape. */
export function createWebRtcMeter(metrics: Metrics, connections: () => number): WebRtcMeter {
  metrics.gauge({
    name: 'webrtc_connections',
    help: 'WebRTC clients that are connected, or about to be',
    collect: connections,
  });
  const setUps = metrics.histogram<'outcome'>({
    name: 'webrtc_set_up_ms',
    help: 'From the opening of a signalling socket until media flows, or until that was given up',
    labels: ['outcome'],
    buckets: [...LATENCY_BUCKETS_MS, 15_000],
  });
  const packets = metrics.counter<'direction' | 'fate'>({
    name: 'webrtc_packets_total',
    help: 'Audio packets of WebRTC clients (in) and to them (out, as their reports have it)',
    labels: ['direction', 'fate'],
  });
  const jitter = metrics.histogram({
    name: 'webrtc_jitter_ms',
    help: 'Jitter of the packets of a client, every few seconds',
    buckets: LATENCY_BUCKETS_MS,
  });
  const roundTrip = metrics.histogram({
    name: 'webrtc_round_trip_ms',
    help: 'To a client and back, every few seconds',
    buckets: LATENCY_BUCKETS_MS,
  });
  const deaths = metrics.counter({
    name: 'webrtc_worker_deaths_total',
    help: 'mediasoup workers that died, or could not be started',
  });
  return {
    setUp: (outcome, durationMs) => setUps.observe({ outcome }, durationMs),
    sample(sample) {
      const { direction, jitterMs, roundTripMs } = sample;
      packets.inc({ direction, fate: 'arrived' }, sample.packets);
      packets.inc({ direction, fate: 'lost' }, sample.lost);
      if (jitterMs !== undefined) jitter.observe(jitterMs);
      if (roundTripMs !== undefined) roundTrip.observe(roundTripMs);
    },
    workerDied: () => deaths.inc(),
  };
}
