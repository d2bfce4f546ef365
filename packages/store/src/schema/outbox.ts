import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { ColumnType, Generated } from 'kysely';

/** What is to be sent: written with the change that causes it, deleted once sent. */
export type OutboxMessage =
  { topic: 'created_call'; payload: CreatedCall } | { topic: 'job'; payload: Record<string, unknown> };

export type OutboxTopic = OutboxMessage['topic'];

export interface OutboxTable {
  outbox_id: string;
  topic: OutboxTopic;
  payload: ColumnType<unknown, string, never>;
  created_at: Generated<Date>;
  /** Nobody touches the row before this time; a claim moves it on. */
  due_at: Generated<Date>;
  attempts: Generated<number>;
  /** The `traceparent` of what caused it. */
  trace: string | null;
}
