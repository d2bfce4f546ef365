import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@calls/telemetry/metrics';
import { createSipMeter, observeSipCalls } from './sip-metrics.ts';

describe('SIP metrics', () => {
  it('count calls by outcome and packets by outcome', async () => {
    const metrics = createMetrics({ service: 'test' });
    const meter = createSipMeter(metrics);
    observeSipCalls(metrics, () => 3);
    meter.ended('outgoing', 'SIP_TERMINATION_DESTINATION_UNAVAILABLE');
    meter.ended('incoming', 'SIP_TERMINATION_NORMAL');
    meter.refused('no_room');
    const counts = {
      packets: 250,
      lost: 12,
      late: 2,
      duplicate: 1,
      malformed: 4,
      stray: 5,
      unauthenticated: 6,
    };
    const reported = { sentPackets: 240, sentLost: 3, peer: { jitterMs: 9, roundTripMs: 80 } };
    meter.media.sample({ ...counts, recovered: 0, concealed: 3, jitterMs: 7, waitMs: 45, ...reported });
    const text = await metrics.registry.metrics();
    const value = (series: string): number | null => {
      const line = text.split('\n').find((each) => each.startsWith(`calls_sip_${series}`));
      return line === undefined ? null : Number(line.split(' ').at(-1));
    };
    const of = (labels: string): string => `{${labels},service="test"}`;
    expect([
      value('calls{service="test"}'),
      value(`calls_total${of('direction="outgoing",outcome="destination_unavailable"')}`),
      value(`calls_total${of('direction="incoming",outcome="normal"')}`),
      value(`calls_total${of('direction="incoming",outcome="no_room"')}`),
      value('jitter_ms_sum{service="test"}'),
      value('peer_jitter_ms_sum{service="test"}'),
      value('round_trip_ms_sum{service="test"}'),
      value(`sent_packets_total${of('outcome="lost"')}`),
    ]).toEqual([3, 1, 1, 1, 7, 9, 80, 3]);
    const outcomes = ['arrived', 'lost', 'late', 'duplicate', 'malformed', 'stray', 'unauthenticated'];
    expect(outcomes.map((outcome) => value(`packets_total${of(`outcome="${outcome}"`)}`))).toEqual([
      250, 12, 2, 1, 4, 5, 6,
    ]);
  });
});
