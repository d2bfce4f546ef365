import { withTimeout, systemClock } from '@calls/foundation/clock';
import { AckPolicy, createInbox, DeliverPolicy, nanos, type NatsConnection } from 'nats';
import { deliveryOf } from './delivery.ts';

export interface ReadSubjectOptions {
  stream: string;
  subject: string;
  /** Only messages after this position; 0: all. */
  after: number;
  /** Time limit of the request, and of a pause between two messages. */
  waitMs: number;
  /** Rejects beyond this number of messages. */
  maxMessages: number;
}

export interface StoredMessage {
  data: Uint8Array;
  /** Position in the stream. */
  seq: number;
}

/** The server removes the consumer this long after its last request. */
const INACTIVE_MS = 5000;
const PAGE = 1000;

/**
 * The messages that a stream has of one subject, oldest first: two round trips, and one per further thousand messages.
 * Rejects if a message is lost on its way.
 */
export async function readSubject(
  nats: NatsConnection,
  { stream, subject, after, waitMs, maxMessages }: ReadSubjectOptions,
): Promise<StoredMessage[]> {
  const { consumers } = await nats.jetstreamManager({ timeout: waitMs, checkAPI: false });
  const { name, num_pending: total } = await consumers.add(stream, {
    filter_subject: subject,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: after + 1,
    ack_policy: AckPolicy.None,
    inactive_threshold: nanos(INACTIVE_MS),
    mem_storage: true,
    num_replicas: 1,
  });
  if (total > maxMessages) throw new RangeError(`${subject} has ${total} messages`);
  const messages: StoredMessage[] = [];
  const inbox = createInbox();
  const subscription = nats.subscribe(inbox);
  const arriving = subscription[Symbol.asyncIterator]();
  try {
    while (messages.length < total) {
      if (messages.length % PAGE === 0) {
        const batch = Math.min(PAGE, total - messages.length);
        nats.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`, JSON.stringify({ batch }), {
          reply: inbox,
        });
      }
      const next = await withTimeout(systemClock, arriving.next(), waitMs, 'messages of a subject');
      if (next.done === true) throw new Error('the connection was closed');
      const { position, number } = deliveryOf(next.value);
      messages.push({ data: next.value.data, seq: position });
      if (number !== messages.length) throw new Error('a message was lost');
    }
    return messages;
  } finally {
    subscription.unsubscribe();
  }
}
