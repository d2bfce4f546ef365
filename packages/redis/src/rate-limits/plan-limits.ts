import { PLANS, type Plan } from '@calls/api-contract/rest/account';
import { AccountLimits, type PlanLimits } from '@calls/api-contract/rest/plan-limits';
import type { EnvReader } from '@calls/foundation/env-reader';
import { compileValidator } from '@calls/foundation/schema/validator';
import { text } from '@calls/foundation/variable';
import { Type } from 'typebox';

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
  Type.Partial(Type.Record(Type.Enum([...PLANS]), AccountLimits), { additionalProperties: false }),
);

const PLAN_LIMITS_VARIABLE = text({
  unset: 'below',
  meaning: 'JSON object with limits of plans; the same for all processes.',
});

/** The default limits, changed by `PLAN_LIMITS` (JSON). Issues are collected in `env`. */
export function readPlanLimits(env: EnvReader): LimitsByPlan {
  const json = env.value('PLAN_LIMITS', PLAN_LIMITS_VARIABLE);
  if (json === null) return PLAN_LIMITS;
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    env.addIssue('PLAN_LIMITS must be JSON, like {"SCALE":{"callCreationPerSecond":100}}');
    return PLAN_LIMITS;
  }
  const issues = overrides.issues(given);
  for (const { path, message } of issues) env.addIssue(`PLAN_LIMITS ${path} ${message}`.replace('  ', ' '));
  return issues.length === 0 ? withOverrides(overrides.parse(given)) : PLAN_LIMITS;
}

function withOverrides(given: Partial<Record<Plan, AccountLimits>>): LimitsByPlan {
  const merged = (plan: Plan): PlanLimits => ({ ...PLAN_LIMITS[plan], ...given[plan] });
  return { FREE: merged('FREE'), PAYGO: merged('PAYGO'), PRO: merged('PRO'), SCALE: merged('SCALE') };
}

/** The limits of an account: those of its plan, replaced by its own. */
export function limitsOf(
  byPlan: LimitsByPlan,
  { plan, limits }: { plan: Plan; limits: AccountLimits },
): PlanLimits {
  return { ...byPlan[plan], ...limits };
}
