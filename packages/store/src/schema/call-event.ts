import type { Severity } from '@calls/api-contract/rest/enums';
import type { ColumnType } from 'kysely';

/** What was worth knowing about a call. */
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

/** Which events have taken effect: the guard against handling one twice. */
export interface CallEventLogTable {
  call_id: string;
  seq: number;
  type: string;
}
