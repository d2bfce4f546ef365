import type { Msg } from 'nats';

/** Where a message of a stream is, as the server reports at its delivery to a consumer. */
export interface Delivery {
  /** Position in the stream. */
  position: number;
  /** Number of messages that the consumer has delivered so far, including this one. */
  number: number;
  /** Number of messages that the consumer has not delivered yet. */
  pending: number;
}

/**
 * Reads the acknowledgement subject (ADR-15 of NATS):
 * `$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<attempt>.<position>.<number>.<time>.<pending>[.<token>]`.
 */
export function deliveryOf({ reply = '' }: Msg): Delivery {
  const tokens = reply.split('.');
  const [position, number, , pending] = tokens.slice(tokens.length > 9 ? 7 : 5).map(Number);
  return { position: position ?? NaN, number: number ?? NaN, pending: pending ?? NaN };
}
