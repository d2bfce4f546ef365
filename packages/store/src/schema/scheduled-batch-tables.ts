import type { ScheduledCallRequest } from '@calls/api-contract/rest/scheduled-batch';
import type { ColumnType, Generated } from 'kysely';

export interface ScheduledBatchTable {
  batch_id: string;
  account_id: string;
  agent_id: string;
  created_at: ColumnType<Date, Date, never>;
  /** Digest of the request that created the batch; null if that had no Idempotency-Key. */
  request_digest: string | null;
  window_start: Date | null;
  window_end: Date | null;
  /** As given in the request: name or id. */
  throttle: string | null;
  throttle_id: string | null;
  webhook_url: string | null;
  /** Encrypted. */
  webhook_secret: string | null;
  paused: boolean;
  total_count: number;
  /** Scheduled calls that are no longer pending. */
  completed_count: Generated<number>;
  ended_at: Date | null;
  /** When the batch needs its next run; null if none. Claiming the batch postpones it. */
  next_at: Date | null;
}

/** The fields of a scheduled call needed to create the call. */
export type StoredScheduledCall = Pick<
  ScheduledCallRequest,
  'medium' | 'metadata' | 'templateContext' | 'experimentalSettings'
>;

export type ScheduledCallState = 'waiting' | 'created' | 'expired' | 'failed';

export interface ScheduledCallTable {
  batch_id: string;
  /** Index in the batch, from 0. */
  call_index: number;
  /** Secrets encrypted. */
  request: ColumnType<StoredScheduledCall, string, never>;
  state: Generated<ScheduledCallState>;
  /** Set in state `created`; the call may have been deleted since. */
  call_id: string | null;
  error: string | null;
}

export interface ScheduledBatchTables {
  scheduled_batches: ScheduledBatchTable;
  scheduled_calls: ScheduledCallTable;
}
