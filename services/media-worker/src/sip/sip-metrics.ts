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
  refused: (why: SipRefusal) => void;
}

export function createSipMeter(metrics: Metrics): SipMeter {
  const calls = metrics.counter<'direction' | 'outcome'>({
    name: 'sip_calls_total',
    help: 'Ended SIP calls by termination reason; for incoming calls also by the reason of a rejection',
    labels: ['direction', 'outcome'],
  });
  return {
    media: { sample: observeMedia(metrics) },
    ended: (direction, reason) => calls.inc({ direction, outcome: outcomeOf(reason) }),
    refused: (outcome) => calls.inc({ direction: 'incoming', outcome }),
  };
}

/** `live` is called at each scrape. */
export function observeSipCalls(metrics: Metrics, live: () => number): void {
  metrics.gauge({ name: 'sip_calls', help: 'Current SIP calls, from INVITE to termination', collect: live });
}

/** `count` is called at each scrape. */
export function observeSipRegistrations(
  metrics: Metrics,
  count: () => { registered: number; failed: number },
): void {
  metrics.gauge({
    name: 'sip_registrations',
    help: 'SIP registrations of this worker whose last attempt succeeded',
    collect: () => count().registered,
  });
  metrics.gauge({
    name: 'sip_registrations_failed',
    help: 'SIP registrations of this worker whose last attempt failed',
    collect: () => count().failed,
  });
}

function outcomeOf(reason: SipTermination): string {
  return reason.replace('SIP_TERMINATION_', '').toLowerCase();
}

function observeMedia(metrics: Metrics): SipMediaMeter['sample'] {
  const packets = metrics.counter<'fate'>({
    name: 'sip_packets_total',
    help: 'RTP packets received from SIP peers by result',
    labels: ['fate'],
  });
  const jitter = metrics.histogram({
    name: 'sip_jitter_ms',
    help: 'RTP jitter of a SIP peer, sampled every few seconds',
    buckets: LATENCY_BUCKETS_MS,
  });
  const sent = metrics.counter<'fate'>({
    name: 'sip_sent_packets_total',
    help: 'RTP packets sent to SIP peers, and those that peers reported as lost',
    labels: ['fate'],
  });
  const peerJitter = metrics.histogram({
    name: 'sip_peer_jitter_ms',
    help: 'RTP jitter that a SIP peer reports, sampled every few seconds',
    buckets: LATENCY_BUCKETS_MS,
  });
  const roundTrip = metrics.histogram({
    name: 'sip_round_trip_ms',
    help: 'Round-trip time to a SIP peer, sampled every few seconds',
    buckets: LATENCY_BUCKETS_MS,
  });
  return (sample) => {
    sent.inc({ fate: 'sent' }, sample.sentPackets);
    sent.inc({ fate: 'lost' }, sample.sentLost);
    if (sample.peer) peerJitter.observe(sample.peer.jitterMs);
    if (typeof sample.peer?.roundTripMs === 'number') roundTrip.observe(sample.peer.roundTripMs);
    packets.inc({ fate: 'arrived' }, sample.packets);
    for (const fate of ['lost', 'late', 'duplicate', 'malformed', 'stray', 'unauthenticated'] as const)
      packets.inc({ fate }, sample[fate]);
    jitter.observe(sample.jitterMs);
  };
}
