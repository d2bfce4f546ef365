import type { BillingStatus, EndReason } from '@calls/api-contract/rest/enums';
import type { ColumnType, GeneratedAlways } from 'kysely';

/** Written only by database triggers, from `calls`. */
type TriggerMaintained<T> = ColumnType<T, never, never>;

/**
 * The data by which a call is found, counted and billed: one row for every call ever created. When the call
 * is deleted, the row remains as its tombstone.
 */
export interface CallFactsTable {
  call_id: TriggerMaintained<string>;
  account_id: TriggerMaintained<string>;
  created_at: TriggerMaintained<Date>;
  joined_at: TriggerMaintained<Date | null>;
  ended_at: TriggerMaintained<Date | null>;
  /** From joined to ended; 0 if the call was never joined, null until it has ended. */
  duration_ms: GeneratedAlways<number | null>;
  time_of_day: GeneratedAlways<string>;
  end_reason: TriggerMaintained<EndReason | null>;
  agent_id: TriggerMaintained<string | null>;
  voice_id: TriggerMaintained<string | null>;
  billing_status: TriggerMaintained<BillingStatus>;
  billed_duration_ms: TriggerMaintained<number | null>;
  sip_billed_duration_ms: TriggerMaintained<number | null>;
  max_duration: TriggerMaintained<string>;
  recording_enabled: TriggerMaintained<boolean>;
  had_summary: TriggerMaintained<boolean>;
  /** A digest of each pair of the metadata (`call_label` in SQL). */
  labels: TriggerMaintained<number[]>;
  /** Texts matched by the `search` filter. */
  said: TriggerMaintained<string>;
  deleted_at: TriggerMaintained<Date | null>;
}

/** Tables of call data other than `calls`. */
export interface CallTables {
  call_facts: CallFactsTable;
}
