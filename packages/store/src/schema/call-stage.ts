import type { ColumnType } from 'kysely';

export interface CallStageTable {
  stage_id: string;
  call_id: string;
  /** Dense and 0-based within the call. */
  stage_index: number;
  created_at: ColumnType<Date, Date, never>;
  ended_at: Date | null;
  /** What this stage changes of the call's settings; empty for the first. */
  overrides: ColumnType<Record<string, unknown>, string, never>;
}
