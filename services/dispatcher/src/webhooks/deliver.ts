import { DELIVERY_LIMITS } from '@calls/call-lifecycle/notifications/write-deliveries';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { parseTraceparent, runInTrace } from '@calls/foundation/trace-context';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import {
  dropDelivery,
  markDelivered,
  markFailed,
  type QueueAfterAttempt,
  type ClaimedDelivery,
} from '@calls/store/tables/delivery-runs';
import { inSpan, type Tracing } from '@calls/telemetry/tracing/span';
import { pauseAfter } from './delivery-schedule.ts';
import { sendDelivery, type Sent } from './send-delivery.ts';

export interface DeliverDeps {
  db: Database;
  outbound: OutboundHttp;
  secretBox: SecretBox;
  clock: Clock;
  /** The pause after the first failed attempt; it doubles with each further failure. */
  firstRetryMs: number;
  tracing: Tracing;
  log: Logger;
  onDone: (event: string, outcome: 'delivered' | 'retried' | 'dead', lateMs: number) => void;
}

export interface Outcome extends QueueAfterAttempt {
  /** Whether the receiver acknowledged the delivery; null if the attempt says nothing about the receiver. */
  isAcknowledged: boolean | null;
  /** Delay until the next attempt; null if there is none. */
  nextTryInMs: number | null;
}

/**
 * Attempts a claimed delivery and records the result. If the process crashes in between, the delivery is
 * attempted again, so a receiver may get it twice with the same id.
 */
export async function deliver(deps: DeliverDeps, delivery: ClaimedDelivery): Promise<Outcome> {
  const { db, clock, tracing, log } = deps;
  const { delivery_id: deliveryId, call_id: callId, event, content } = delivery;
  const isOrphan = delivery.webhook_id !== null && delivery.webhook_url === null;
  if (isOrphan || content === null) {
    await dropDelivery(db, deliveryId);
    return { isAcknowledged: null, nextTryInMs: null, isFollowed: false };
  }
  const startMs = clock.nowMs();
  const attributes = {
    'call.event': event,
    'job.attempt': delivery.attempts + 1,
    ...(callId !== null && { 'call.id': callId }),
  };
  const trace = parseTraceparent(delivery.trace ?? undefined);
  const sent = await inSpan(
    tracing,
    'deliver webhook',
    { kind: 'client', parent: trace, attributes },
    async (span): Promise<Sent> => {
      const result = await sendDelivery(deps, { ...delivery, content });
      if (result.kind === 'failed') span.fail('not_acknowledged');
      return result;
    },
  );
  const lateMs = delivery.late_ms + clock.nowMs() - startMs;
  if (sent.kind === 'acknowledged') {
    const after = await markDelivered(db, deliveryId);
    deps.onDone(event, 'delivered', lateMs);
    return { ...after, isAcknowledged: true, nextTryInMs: null };
  }
  const { failure, isPermanent } = sent;
  const nextTryInMs = pauseAfter(
    {
      triesLeft: delivery.tries_left,
      tries: DELIVERY_LIMITS.tries,
      isPermanent,
      isGivenUp: delivery.given_up,
    },
    deps.firstRetryMs,
  );
  const after = await markFailed(db, { deliveryId, failure, nextTryInMs });
  const fields = {
    deliveryId,
    webhookId: delivery.webhook_id,
    callId,
    event,
    attempt: delivery.attempts + 1,
    failure,
  };
  runInTrace(trace, () => {
    if (nextTryInMs === null) log.warn(fields, 'delivery failed permanently');
    else log.debug({ ...fields, nextTryInMs }, 'delivery failed; will be retried');
  });
  deps.onDone(event, nextTryInMs === null ? 'dead' : 'retried', lateMs);
  return { ...after, isAcknowledged: false, nextTryInMs };
}
