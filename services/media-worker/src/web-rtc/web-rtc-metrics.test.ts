import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@calls/telemetry/metrics';
import { createWebRtcMeter, observeWebRtc } from './web-rtc-metrics.ts';

describe('WebRTC metrics', () => {
  it('count connections, their outcomes and their packets', async () => {
    const metrics = createMetrics({ service: 'test' });
    const meter = createWebRtcMeter(metrics);
    observeWebRtc(metrics, { connections: 3, workers: [{}, {}] });
    meter.setUp('joined', 300);
    meter.setUp('not_connected', 15_000);
    const lossy = { packets: 250, lost: 12, recovered: 8, concealed: 3, late: 2, duplicate: 1, malformed: 4 };
    meter.sample({ direction: 'in', ...lossy, jitterMs: 7, waitMs: 45 });
    meter.sample({ direction: 'out', packets: 200, lost: 5, roundTripMs: null });
    meter.sample({ direction: 'out', packets: 100, lost: 0, roundTripMs: 31 });
    meter.lost('ice');
    meter.iceRestarted();
    meter.workerDied();
    const text = await metrics.registry.metrics();
    const value = (series: string): number | null => {
      const line = text.split('\n').find((each) => each.startsWith(`calls_webrtc_${series}`));
      return line === undefined ? null : Number(line.split(' ').at(-1));
    };
    const service = 'service="test"';
    expect({
      connections: value(`connections{${service}}`),
      workers: value(`workers{${service}}`),
      notConnected: value(`set_up_ms_count{${service},outcome="not_connected"}`),
      arrived: value(`packets_total{direction="in",outcome="arrived",${service}}`),
      lostIn: value(`packets_total{direction="in",outcome="lost",${service}}`),
      lostOut: value(`packets_total{direction="out",outcome="lost",${service}}`),
      recovered: value(`repairs_total{by="recovered",${service}}`),
      concealed: value(`repairs_total{by="concealed",${service}}`),
      late: value(`discarded_packets_total{reason="late",${service}}`),
      duplicate: value(`discarded_packets_total{reason="duplicate",${service}}`),
      malformed: value(`discarded_packets_total{reason="malformed",${service}}`),
      waitMs: value(`reorder_wait_ms_sum{${service}}`),
      jitterMs: value(`jitter_ms_sum{${service}}`),
      roundTrips: value(`round_trip_ms_count{${service}}`),
      lost: value(`media_lost_total{reason="ice",${service}}`),
      restarts: value(`ice_restarts_total{${service}}`),
      deaths: value(`worker_deaths_total{${service}}`),
    }).toEqual({
      ...{ connections: 3, workers: 2, notConnected: 1, arrived: 250, lostIn: 12, lostOut: 5 },
      ...{ recovered: 8, concealed: 3, late: 2, duplicate: 1, malformed: 4 },
      ...{ waitMs: 45, jitterMs: 7, roundTrips: 1, lost: 1, restarts: 1, deaths: 1 },
    });
  });
});
