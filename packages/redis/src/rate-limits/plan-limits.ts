import { PLANS, type Plan } from '@calls/api-contract/rest/account';
import { compileValidator } from '@calls/api-contract/validation/validator';
import type { EnvReader } from '@calls/foundation/env-reader';
import { text } from '@calls/foundation/variable';
import { Type, type Static } from 'typebox';

const Limit = Type.Integer({ minimum: 1, maximum: 1_000_000 });
const Cap = Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000 }), Type.Null()]);

/** Limits of an account, by its plan. Null: no limit. */
export const PlanLimits = Type.Object(
  {
    apiRequestsPerSecond: Limit,
    apiRequestsPerSecondPerKey: Limit,
    callCreationPerSecond: Limit,
    callCreationPerMinute: Limit,
    /** Calls that are created and have not ended. */
    concurrentCalls: Cap,
    /** Concurrent calls with the admission preference `priority`. */
    priorityCalls: Cap,
    /** One-time free minutes. */
    freeMinutes: Cap,
  },
  { additionalProperties: false },
);
export type PlanLimits = Readonly<Static<typeof PlanLimits>>;

export type LimitsByPlan = Readonly<Record<Plan, PlanLimits>>;

const API_LIMITS = { apiRequestsPerSecond: 500, apiRequestsPerSecondPerKey: 200 };
const ENTRY_LIMITS = {
  ...API_LIMITS,
  callCreationPerSecond: 5,
  callCreationPerMinute: 30,
  concurrentCalls: 5,
  priorityCalls: 0,
};

export const PLAN_LIMITS: LimitsByPlan = {
  FREE: { ...ENTRY_LIMITS, freeMinutes: 30 },
  PAYGO: { ...ENTRY_LIMITS, freeMinutes: null },
  PRO: {
    ...API_LIMITS,
    callCreationPerSecond: 10,
    callCreationPerMinute: 120,
    concurrentCalls: null,
    priorityCalls: 0,
    freeMinutes: null,
  },
  SCALE: {
    ...API_LIMITS,
    callCreationPerSecond: 30,
    callCreationPerMinute: 360,
    concurrentCalls: null,
    priorityCalls: 100,
    freeMinutes: null,
  },
};

const overrides = compileValidator(
  'PLAN_LIMITS',
  Type.Partial(
    Type.Record(Type.Enum([...PLANS]), Type.Partial(PlanLimits, { additionalProperties: false })),
    { additionalProperties: false },
  ),
);

const PLAN_LIMITS_VARIABLE = text({ unset: 'below', meaning: 'limits by plan; the same everywhere' });

/** The default limits, changed by `PLAN_LIMITS` (JSON). Issues are collected in `env`. */
export function readPlanLimits(env: EnvReader): LimitsByPlan {
  const json = env.value('PLAN_LIMITS', PLAN_LIMITS_VARIABLE);
  if (json === null) return PLAN_LIMITS;
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    env.fault('PLAN_LIMITS must be JSON, like {"SCALE":{"callCreationPerSecond":100}}');
    return PLAN_LIMITS;
  }
  const faults = overrides.issues(given);
  for (const { path, message } of faults) env.fault(`PLAN_LIMITS ${path} ${message}`.replace('  ', ' '));
  return faults.length === 0 ? withOverrides(overrides.parse(given)) : PLAN_LIMITS;
}

function withOverrides(given: Partial<Record<Plan, Partial<PlanLimits>>>): LimitsByPlan {
  const merged = (plan: Plan): PlanLimits => ({ ...PLAN_LIMITS[plan], ...given[plan] });
  return { FREE: merged('FREE'), PAYGO: merged('PAYGO'), PRO: merged('PRO'), SCALE: merged('SCALE') };
}
