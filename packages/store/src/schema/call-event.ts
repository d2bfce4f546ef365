import type { Severity } from '@calls/api-contract/rest/enums';
import type { ColumnType } from 'kysely';

/** User-visible events of a call. */
export interface CallEventTable {
  call_id: string;
  seq: number;
  stage_id: string;
  call_timestamp_ms: number;
  wall_clock_at: ColumnType<Date, Date, never>;
  severity: Severity;
  type: string;
  text: string;
  extras: ColumnType<Record<string, unknown> | null, string | null, never>;
}

/** Applied call log entries: prevents handling an entry twice. */
export interface CallEventLogTable {
  call_id: string;
  seq: number;
  type: string;
}
