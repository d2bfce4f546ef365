import type { Bus, CallSeal } from '@calls/bus';
import type { CallPublisher } from '@calls/call-creation';
import { toError, type Logger } from '@calls/foundation';
import type { SentRows } from './sent-rows.ts';

/** The relay leaves a new message alone that long: it is published at once, here. */
const RELAY_DELAY_MS = 5000;

/** Publishes created calls on the bus. */
export function createCallPublisher(parts: {
  bus: Bus;
  callSeal: CallSeal;
  sentRows: SentRows;
  log: Logger;
}): CallPublisher {
  const { bus, callSeal, sentRows, log } = parts;
  return {
    get ready() {
      return bus.connected;
    },
    relayDelayMs: RELAY_DELAY_MS,
    async publish(message, outboxId) {
      const { callId } = message.spec;
      try {
        await bus.publishCreatedCall(callSeal.seal(message), callId);
        sentRows.add(outboxId);
      } catch (thrown) {
        log.warn({ callId, err: toError(thrown) }, 'created call left to the outbox relay');
      }
    },
  };
}
