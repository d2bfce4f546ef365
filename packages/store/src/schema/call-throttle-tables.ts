import type { CallThrottleRule } from '@calls/api-contract/rest/call-throttle';
import type { ColumnType } from 'kysely';

export interface CallThrottleTable {
  throttle_id: string;
  account_id: string;
  name: string;
  rules: ColumnType<CallThrottleRule[], string, string>;
  created_at: ColumnType<Date, Date, never>;
}

export interface CallThrottleTables {
  call_throttles: CallThrottleTable;
}
