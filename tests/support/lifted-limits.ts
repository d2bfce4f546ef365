import type { AccountLimits } from '@calls/api-contract/rest/plan-limits';
import { PLAN_LIMITS, type LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';

const LIFTED: AccountLimits = {
  apiRequestsPerSecond: 100_000,
  apiRequestsPerSecondPerKey: 100_000,
  callCreationPerSecond: 100_000,
  callCreationPerMinute: 1_000_000,
  priorityCalls: 100_000,
};

/** Rate limits for tests of other features: none for the plan SCALE, the default limits for other plans. */
export const LIFTED_LIMITS: LimitsByPlan = { ...PLAN_LIMITS, SCALE: { ...PLAN_LIMITS.SCALE, ...LIFTED } };

/** The same as an environment variable for processes. */
export const LIFTED_LIMITS_ENV = { PLAN_LIMITS: JSON.stringify({ SCALE: LIFTED }) };

/** Time limit of queries for tests of other features: on a busy machine a query takes longer than the default limit. */
export const LONG_QUERY_LIMIT_MS = 60_000;

/**
 * Time limits of engines for tests of other features. With the default limits, a busy machine loses utterances and
 * responses.
 */
export const LONG_ENGINE_LIMITS_ENV: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...['STT_CONNECT_TIMEOUT_MS', 'STT_TIMEOUT_MS', 'STT_FALLBACK_TIMEOUT_MS'],
    ...['LLM_CONNECT_TIMEOUT_MS', 'LLM_FIRST_TOKEN_TIMEOUT_MS', 'LLM_GAP_TIMEOUT_MS'],
    ...['TTS_CONNECT_TIMEOUT_MS', 'TTS_FIRST_AUDIO_TIMEOUT_MS', 'TTS_GAP_TIMEOUT_MS'],
  ].map((name) => [name, '60000']),
);
