import type { StageOverrides } from '@calls/api-contract/rest/call-settings';
import type { ColumnType, Generated } from 'kysely';

export interface CallStageTable {
  stage_id: string;
  call_id: string;
  /** 0 for the first; the stages of a call began in this order. */
  stage_index: number;
  created_at: ColumnType<Date, Date, never>;
  /** Of a later stage: when the call came into it; null where it has not, or never will. */
  began_at: ColumnType<Date | null, never, Date>;
  /** So many of its first messages are those that it began with; not said in it. */
  initial_message_count: Generated<number>;
  /** What holds in this stage instead of the call's settings; empty for the first. Secrets sealed. */
  overrides: ColumnType<StageOverrides, string, never>;
}
