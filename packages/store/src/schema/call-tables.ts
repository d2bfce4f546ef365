import type { BillingStatus, EndReason } from '@calls/api-contract/rest/enums';
import type { ColumnType, GeneratedAlways } from 'kysely';

/** Written by the database alone, from what `calls` holds. */
type Kept<T> = ColumnType<T, never, never>;

/**
 * What a call is found, counted and billed by: a row for each call there ever was. It stays when the call is deleted, and
 * is then its tombstone.
 */
export interface CallFactsTable {
  call_id: Kept<string>;
  account_id: Kept<string>;
  created_at: Kept<Date>;
  joined_at: Kept<Date | null>;
  ended_at: Kept<Date | null>;
  /** Joined to ended; 0 where nobody joined, null until the call has ended. */
  duration_ms: GeneratedAlways<number | null>;
  time_of_day: GeneratedAlways<string>;
  end_reason: Kept<EndReason | null>;
  agent_id: Kept<string | null>;
  voice_id: Kept<string | null>;
  billing_status: Kept<BillingStatus>;
  billed_duration_ms: Kept<number | null>;
  sip_billed_duration_ms: Kept<number | null>;
  max_duration: Kept<string>;
  recording_enabled: Kept<boolean>;
  had_summary: Kept<boolean>;
  /** A digest of each pair of the metadata (`call_label` in SQL). */
  labels: Kept<number[]>;
  /** Texts that `search` looks in. */
  said: Kept<string>;
  deleted_at: Kept<Date | null>;
}

/** Tables of what calls leave behind besides the first tables. */
export interface CallTables {
  call_facts: CallFactsTable;
}
