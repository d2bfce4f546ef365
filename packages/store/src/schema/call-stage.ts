import type { StageOverrides } from '@calls/api-contract/rest/call-settings';
import type { ColumnType, Generated } from 'kysely';

export interface CallStageTable {
  stage_id: string;
  call_id: string;
  /** 0 for the first; ordered by the time the stages began. */
  stage_index: number;
  created_at: ColumnType<Date, Date, never>;
  /** For later stages: when the call entered the stage; null if it has not. */
  began_at: ColumnType<Date | null, never, Date>;
  /** Number of messages that the stage began with, as opposed to those said in it. */
  initial_message_count: Generated<number>;
  /** Settings that override the call's settings in this stage; empty for the first. Secrets encrypted. */
  overrides: ColumnType<StageOverrides, string, never>;
}
