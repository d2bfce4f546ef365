import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { ColumnType, Generated } from 'kysely';

/** A message to be sent. Written in the transaction of the change that causes it, deleted when sent. */
export type OutboxMessage =
  | { topic: 'created_call'; payload: CreatedCall }
  | { topic: 'job'; payload: Record<string, unknown> };

export type OutboxTopic = OutboxMessage['topic'];

export interface OutboxTable {
  outbox_id: string;
  topic: OutboxTopic;
  payload: ColumnType<unknown, string, never>;
  created_at: Generated<Date>;
  /** The row is not claimed before this time; a claim postpones it. */
  due_at: Generated<Date>;
  attempts: Generated<number>;
  /** The `traceparent` of the operation that caused the message. */
  trace: string | null;
}
