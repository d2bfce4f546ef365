import type { CallThrottle } from '@calls/api-contract/rest/call-throttle';
import type { CallThrottleRow } from '@calls/store/tables/call-throttles';

export function callThrottleView(row: CallThrottleRow): CallThrottle {
  return {
    throttleId: row.throttle_id,
    name: row.name,
    created: row.created_at.toISOString(),
    rules: row.rules,
  };
}
