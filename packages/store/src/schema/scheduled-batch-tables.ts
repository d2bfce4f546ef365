import type { ScheduledCallRequest } from '@calls/api-contract/rest/scheduled-batch';
import type { ColumnType, Generated } from 'kysely';

export interface ScheduledBatchTable {
  batch_id: string;
  account_id: string;
  agent_id: string;
  created_at: ColumnType<Date, Date, never>;
  window_start: Date | null;
  window_end: Date | null;
  /** As it was given: name or id. */
  throttle: string | null;
  throttle_id: string | null;
  webhook_url: string | null;
  /** Sealed. */
  webhook_secret: string | null;
  paused: boolean;
  total_count: number;
  /** Scheduled calls that don't wait any more. */
  completed_count: Generated<number>;
  ended_at: Date | null;
  /** When there is something to do about the batch; null: nothing. Whoever takes the batch moves it on. */
  next_at: Date | null;
}

/** What of a scheduled call is kept for its creation. */
export type StoredScheduledCall = Pick<
  ScheduledCallRequest,
  'medium' | 'metadata' | 'templateContext' | 'experimentalSettings'
>;

export type ScheduledCallState = 'waiting' | 'created' | 'expired' | 'failed';

export interface ScheduledCallTable {
  batch_id: string;
  /** Its place in the batch, from 0. */
  call_index: number;
  /** Secrets sealed. */
  request: ColumnType<StoredScheduledCall, string, never>;
  state: Generated<ScheduledCallState>;
  /** Set where the state is `created`; the call may be deleted since. */
  call_id: string | null;
  error: string | null;
}

export interface ScheduledBatchTables {
  scheduled_batches: ScheduledBatchTable;
  scheduled_calls: ScheduledCallTable;
}
