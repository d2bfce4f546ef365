import type { Bus } from '@calls/bus/bus';
import type { CallSeal } from '@calls/bus/call-seal';
import type { CallPublisher } from '@calls/call-lifecycle/creation/call-creator';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { inSpan, type Tracing } from '@calls/telemetry/tracing/span';
import type { OutboxCleanup } from './outbox-cleanup.ts';

/** How long the relay ignores the row of a call, because the message is first published directly. */
const RELAY_DELAY_MS = 5000;

/** Publishes created calls on the bus. */
export function createCallPublisher(deps: {
  bus: Pick<Bus, 'createdCalls'>;
  callSeal: CallSeal;
  outboxCleanup: OutboxCleanup;
  tracing: Tracing;
  log: Logger;
}): CallPublisher {
  const { bus, callSeal, outboxCleanup, tracing, log } = deps;
  return {
    isReady: () => bus.createdCalls.isReady(),
    relayDelayMs: RELAY_DELAY_MS,
    async publish(message, outboxId) {
      const { callId } = message.spec;
      const attributes = { 'call.id': callId, 'messaging.destination.name': 'calls.created' };
      try {
        await inSpan(tracing, 'publish created call', { kind: 'producer', attributes }, async () => {
          await bus.createdCalls.publish(callSeal.seal(message), callId);
          log.info({ callId }, 'call created');
        });
        outboxCleanup.add(outboxId);
      } catch (thrown) {
        log.warn(
          { callId, err: toError(thrown) },
          'failed to publish created call; left to the outbox relay',
        );
      }
    },
  };
}
