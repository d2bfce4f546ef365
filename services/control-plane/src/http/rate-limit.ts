import { limitsOf, type LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import type { Decision, RateLimits, WindowState } from '@calls/redis/rate-limits/rate-limits';
import type { RequestHandler } from 'express';
import { accountCallerOf, type AccountCaller } from './authentication.ts';
import { limited } from '../problems/problem.ts';

const SECOND_MS = 1000;
const ACCOUNT = 'api';

/**
 * Applies the rate limits of the account and of the key or call token. Runs after `authentication`. Rejected requests
 * do not count.
 */
export function rateLimit(limits: RateLimits, planLimits: LimitsByPlan): RequestHandler {
  return async (_request, response, next) => {
    const { accountId, plan, limits: own, bearer, bearerName } = counted(accountCallerOf(response));
    const { apiRequestsPerSecond, apiRequestsPerSecondPerKey } = limitsOf(planLimits, { plan, limits: own });
    const decision = await limits.take(accountId, [
      { name: ACCOUNT, limit: apiRequestsPerSecond, windowMs: SECOND_MS },
      { name: `${ACCOUNT}:${bearer}`, limit: apiRequestsPerSecondPerKey, windowMs: SECOND_MS },
    ]);
    response.set(headersOf(decision));
    if (!decision.granted) {
      const { refusedBy, retryAfterMs } = decision;
      const whose = refusedBy.name === ACCOUNT ? 'account' : bearerName;
      throw limited(
        'api_rate',
        `The limit of ${refusedBy.limit} requests per second of this ${whose} is reached.`,
        retryAfterMs,
      );
    }
    next();
  };
}

function counted(caller: AccountCaller) {
  if (caller.by === 'key') return { ...caller.key, bearer: caller.key.keyId, bearerName: 'API key' };
  return { ...caller.token, bearer: caller.token.callId, bearerName: 'call token' };
}

function headersOf(decision: Decision): Record<string, string> {
  const tightest = decision.granted ? fewestLeft(decision.windows) : decision.refusedBy;
  return {
    'RateLimit-Policy': decision.windows
      .map(({ limit, windowMs }) => `${limit};w=${windowMs / SECOND_MS}`)
      .join(', '),
    'RateLimit-Limit': String(tightest.limit),
    'RateLimit-Remaining': String(tightest.remaining),
    'RateLimit-Reset': String(Math.ceil(tightest.resetMs / SECOND_MS)),
  };
}

function fewestLeft(windows: readonly WindowState[]): WindowState {
  return windows.reduce((tightest, window) => (window.remaining < tightest.remaining ? window : tightest));
}
