import type { CallThrottle } from '@calls/api-contract';
import type { CallThrottleRow } from '@calls/store';

export function callThrottleView(row: CallThrottleRow): CallThrottle {
  return {
    throttleId: row.throttle_id,
    name: row.name,
    created: row.created_at.toISOString(),
    rules: row.rules,
  };
}
