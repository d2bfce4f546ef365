import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';
import type { LinkSample } from '@calls/transports/link-statistics';
import type { WebRtcMeter } from '@calls/transports/webrtc/web-rtc-meter';

/** WebRTC metrics of this process. */
export function createWebRtcMeter(metrics: Metrics): WebRtcMeter {
  const setUps = metrics.histogram<'outcome'>({
    name: 'webrtc_set_up_ms',
    help: 'Time from a socket or offer until media flows or the connection fails; `replaced`: by a newer connection of the same call',
    labels: ['outcome'],
    buckets: [...LATENCY_BUCKETS_MS, 15_000],
    zero: [{ outcome: 'joined' }, { outcome: 'not_connected' }],
  });
  const deaths = metrics.counter({
    name: 'webrtc_worker_deaths_total',
    help: 'Mediasoup workers that died',
  });
  const losses = metrics.counter<'reason'>({
    name: 'webrtc_media_lost_total',
    help: 'Media connections lost during a call: ICE checks failed or DTLS was closed (`ice`), mediasoup (`worker`), the `codec` or the `rtp` thread died, the client does not read data (`unread`) or sends too much (`flood`)',
    labels: ['reason'],
  });
  const restarts = metrics.counter({
    name: 'webrtc_ice_restarts_total',
    help: 'ICE restarts, one per direction',
  });
  return {
    setUp: (outcome, durationMs) => setUps.observe({ outcome }, durationMs),
    sample: observeLinks(metrics),
    lost: (reason) => losses.inc({ reason }),
    iceRestarted: () => restarts.inc(),
    workerDied: () => deaths.inc(),
  };
}

/** The values of `webRtc` are read at each scrape. */
export function observeWebRtc(
  metrics: Metrics,
  webRtc: { readonly connections: number; readonly workers: readonly unknown[] },
): void {
  metrics.gauge({
    name: 'webrtc_connections',
    help: 'Clients connected or connecting',
    collect: () => webRtc.connections,
  });
  metrics.gauge({
    name: 'webrtc_workers',
    help: 'Running mediasoup workers',
    collect: () => webRtc.workers.length,
  });
}

/** Packet counts and network quality. */
function observeLinks(metrics: Metrics): (sample: LinkSample) => void {
  const packets = metrics.counter<'direction' | 'outcome'>({
    name: 'webrtc_packets_total',
    help: 'Audio packets from clients (`in`) and to them (`out`; `lost` according to their reports)',
    labels: ['direction', 'outcome'],
  });
  const repairs = metrics.counter<'by'>({
    name: 'webrtc_repairs_total',
    help: 'Lost packets that were `recovered` from the FEC data of the next packet, or `concealed`',
    labels: ['by'],
  });
  const discarded = metrics.counter<'reason'>({
    name: 'webrtc_discarded_packets_total',
    help: 'Packets that were discarded: `late`, `duplicate` or `malformed`',
    labels: ['reason'],
  });
  const wait = metrics.histogram({
    name: 'webrtc_reorder_wait_ms',
    help: 'How long audio waits for a missing packet, measured every few seconds',
    buckets: [20, 30, 40, 60, 80, 100, 120],
  });
  const jitter = metrics.histogram({
    name: 'webrtc_jitter_ms',
    help: 'Jitter of the packets of a client, measured every few seconds',
    buckets: LATENCY_BUCKETS_MS,
  });
  const roundTrip = metrics.histogram({
    name: 'webrtc_round_trip_ms',
    help: 'Round-trip time to a client, measured every few seconds',
    buckets: LATENCY_BUCKETS_MS,
  });
  return (sample) => {
    const { direction } = sample;
    packets.inc({ direction, outcome: 'arrived' }, sample.packets);
    packets.inc({ direction, outcome: 'lost' }, sample.lost);
    if (sample.direction === 'out') {
      if (sample.roundTripMs !== null) roundTrip.observe(sample.roundTripMs);
      return;
    }
    for (const by of ['recovered', 'concealed'] as const) repairs.inc({ by }, sample[by]);
    for (const reason of ['late', 'duplicate', 'malformed'] as const)
      discarded.inc({ reason }, sample[reason]);
    jitter.observe(sample.jitterMs);
    wait.observe(sample.waitMs);
  };
}
