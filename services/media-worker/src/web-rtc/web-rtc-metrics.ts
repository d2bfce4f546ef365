import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';
import type { LinkSample } from '@calls/transports/link-statistics';
import type { WebRtcMeter } from '@calls/transports/webrtc/web-rtc-meter';

/** What is asked at each scrape. */
export interface WebRtcGauges {
  connections: () => number;
  workers: () => number;
}

/** What WebRTC of this process reports. */
export function createWebRtcMeter(metrics: Metrics, { connections, workers }: WebRtcGauges): WebRtcMeter {
  metrics.gauge({
    name: 'webrtc_connections',
    help: 'WebRTC clients that are connected, or about to be',
    collect: connections,
  });
  metrics.gauge({ name: 'webrtc_workers', help: 'mediasoup workers that run', collect: workers });
  const setUps = metrics.histogram<'outcome'>({
    name: 'webrtc_set_up_ms',
    help: 'From the opening of a signalling socket until media flows, or until that was given up',
    labels: ['outcome'],
    buckets: [...LATENCY_BUCKETS_MS, 15_000],
  });
  const deaths = metrics.counter({
    name: 'webrtc_worker_deaths_total',
    help: 'mediasoup workers that died, or could not be started',
  });
  const losses = metrics.counter<'why'>({
    name: 'webrtc_media_lost_total',
    help: 'Clients whose media was gone in a call: they may come back',
    labels: ['why'],
  });
  const restarts = metrics.counter({
    name: 'webrtc_ice_restarts_total',
    help: 'Restarts of ICE that clients asked for, one for each direction',
  });
  return {
    setUp: (outcome, durationMs) => setUps.observe({ outcome }, durationMs),
    sample: observeLinks(metrics),
    lost: (why) => losses.inc({ why }),
    iceRestarted: () => restarts.inc(),
    workerDied: () => deaths.inc(),
  };
}

/** Packets, and what the network does to them. */
function observeLinks(metrics: Metrics): (sample: LinkSample) => void {
  const packets = metrics.counter<'direction' | 'fate'>({
    name: 'webrtc_packets_total',
    help: 'Audio packets of WebRTC clients (in) and to them (out, as their reports have it)',
    labels: ['direction', 'fate'],
  });
  const repairs = metrics.counter<'by'>({
    name: 'webrtc_repairs_total',
    help: 'Lost packets of clients whose sound was made up, from the next one (recovered) or those before (concealed)',
    labels: ['by'],
  });
  const useless = metrics.counter<'why'>({
    name: 'webrtc_useless_packets_total',
    help: 'Packets of clients that came and were of no use',
    labels: ['why'],
  });
  const wait = metrics.histogram({
    name: 'webrtc_reorder_wait_ms',
    help: 'How long a missing packet of a client is waited for, every few seconds',
    buckets: [20, 30, 40, 60, 80, 100, 120],
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
  return (sample) => {
    const { direction } = sample;
    packets.inc({ direction, fate: 'arrived' }, sample.packets);
    packets.inc({ direction, fate: 'lost' }, sample.lost);
    if (sample.direction === 'out') {
      if (sample.roundTripMs !== null) roundTrip.observe(sample.roundTripMs);
      return;
    }
    for (const by of ['recovered', 'concealed'] as const) repairs.inc({ by }, sample[by]);
    for (const why of ['late', 'duplicate', 'malformed'] as const) useless.inc({ why }, sample[why]);
    jitter.observe(sample.jitterMs);
    wait.observe(sample.waitMs);
  };
}
