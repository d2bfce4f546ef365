import type { Message } from '@calls/api-contract/rest/message';
import type { ColumnType } from 'kysely';

export interface CallMessageTable {
  call_id: string;
  stage_id: string;
  /** Dense and 0-based within the stage. */
  message_index: number;
  /** Sequence number of the log entry that contained the message. */
  seq: number;
  role: string;
  added_at: ColumnType<Date, Date, never>;
  message: ColumnType<Message, string, string>;
}
