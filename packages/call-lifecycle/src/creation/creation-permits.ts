import type { PlanLimits } from '@calls/api-contract/rest/plan-limits';
import type { Granted, RateLimits, Window } from '@calls/redis/rate-limits/rate-limits';
import type { CallThrottleRow } from '@calls/store/tables/call-throttles';
import { CallRefusal } from './refusal.ts';

const CREATION = 'calls';
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * Acquires one permit in each window that a new call counts in, all or none: the rates of the plan and the rules of the throttle.
 * Throws if a window is full. `release` returns the permits if the call is not created.
 */
export async function acquireCreationPermits(
  rateLimits: RateLimits,
  accountId: string,
  limits: PlanLimits,
  throttle: CallThrottleRow | null,
): Promise<Pick<Granted, 'release'>> {
  const windows: Window[] = [
    { name: CREATION, limit: limits.callCreationPerSecond, windowMs: SECOND_MS },
    { name: CREATION, limit: limits.callCreationPerMinute, windowMs: MINUTE_MS },
  ];
  for (const { maxCalls, windowSeconds } of throttle?.rules ?? []) {
    windows.push({
      name: `throttle:${throttle?.throttle_id}`,
      limit: maxCalls,
      windowMs: windowSeconds * SECOND_MS,
    });
  }
  const decision = await rateLimits.take(accountId, windows);
  if (decision.granted) return decision;
  const { refusedBy, retryAfterMs } = decision;
  const rule = `${refusedBy.limit} calls in ${refusedBy.windowMs / SECOND_MS} s`;
  if (refusedBy.name === CREATION) {
    const detail = `The plan's limit of ${rule} is reached.`;
    throw new CallRefusal('limited', 'call_creation_rate', detail, { retryAfterMs });
  }
  const detail = `The limit of ${rule} of the call throttle "${throttle?.name}" is reached.`;
  throw new CallRefusal('limited', 'throttle', detail, { retryAfterMs });
}
