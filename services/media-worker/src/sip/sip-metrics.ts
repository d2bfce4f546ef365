import type { SipTermination } from '@calls/api-contract/rest/enums';
import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';
import type { SipMediaMeter } from '@calls/transports/sip/sip-media-meter';

/**
 * Why an incoming call was rejected: `refused` by the service's rules, `no_room`, `draining`, or `failed` by an
 * internal error.
 */
export type SipRefusal = 'refused' | 'no_room' | 'draining' | 'failed';

/** SIP metrics of this process. */
export interface SipMeter {
  media: SipMediaMeter;
  ended: (direction: 'incoming' | 'outgoing', reason: SipTermination) => void;
  refused: (reason: SipRefusal) => void;
}

export function createSipMeter(metrics: Metrics): SipMeter {
  const calls = metrics.counter<'direction' | 'outcome'>({
    name: 'sip_calls_total',
    help: 'Finished SIP calls, by termination reason; for incoming calls that were not accepted, `refused`, `no_room`, `draining` or `failed`',
    labels: ['direction', 'outcome'],
    zero: [{ direction: 'outgoing', outcome: 'destination_unavailable' }],
  });
  return {
    media: { sample: observeMedia(metrics) },
    ended: (direction, reason) => calls.inc({ direction, outcome: outcomeOf(reason) }),
    refused: (outcome) => calls.inc({ direction: 'incoming', outcome }),
  };
}

/** `live` is called at each scrape. */
export function observeSipCalls(metrics: Metrics, live: () => number): void {
  metrics.gauge({
    name: 'sip_calls',
    help: 'Current SIP calls, from their INVITE to their end',
    collect: live,
  });
}

/** `count` is called at each scrape. */
export function observeSipRegistrations(
  metrics: Metrics,
  count: () => { registered: number; failed: number },
): void {
  metrics.gauge({
    name: 'sip_registrations',
    help: 'Registrations whose last attempt succeeded',
    collect: () => count().registered,
  });
  metrics.gauge({
    name: 'sip_registrations_failed',
    help: 'Registrations whose last attempt failed',
    collect: () => count().failed,
  });
}

function outcomeOf(reason: SipTermination): string {
  return reason.replace('SIP_TERMINATION_', '').toLowerCase();
}

function observeMedia(metrics: Metrics): SipMediaMeter['sample'] {
  const packets = metrics.counter<'outcome'>({
    name: 'sip_packets_total',
    help: 'RTP packets from peers; `stray`: from an unexpected address; `unauthenticated`: forged, replayed, or unencrypted in an encrypted call',
    labels: ['outcome'],
  });
  const jitter = metrics.histogram({
    name: 'sip_jitter_ms',
    help: 'Jitter of the packets of a peer, measured every few seconds',
    buckets: LATENCY_BUCKETS_MS,
  });
  const sent = metrics.counter<'outcome'>({
    name: 'sip_sent_packets_total',
    help: 'RTP packets to peers: `sent`, or `lost` according to their reports',
    labels: ['outcome'],
  });
  const peerJitter = metrics.histogram({
    name: 'sip_peer_jitter_ms',
    help: 'Jitter that a peer reports',
    buckets: LATENCY_BUCKETS_MS,
  });
  const roundTrip = metrics.histogram({
    name: 'sip_round_trip_ms',
    help: 'Round-trip time to a peer, measured every few seconds',
    buckets: LATENCY_BUCKETS_MS,
  });
  return (sample) => {
    sent.inc({ outcome: 'sent' }, sample.sentPackets);
    sent.inc({ outcome: 'lost' }, sample.sentLost);
    if (sample.peer) peerJitter.observe(sample.peer.jitterMs);
    if (typeof sample.peer?.roundTripMs === 'number') roundTrip.observe(sample.peer.roundTripMs);
    packets.inc({ outcome: 'arrived' }, sample.packets);
    for (const outcome of ['lost', 'late', 'duplicate', 'malformed', 'stray', 'unauthenticated'] as const)
      packets.inc({ outcome }, sample[outcome]);
    jitter.observe(sample.jitterMs);
  };
}
