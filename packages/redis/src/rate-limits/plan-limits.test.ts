import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@calls/foundation/env-reader';
import { PLAN_LIMITS, readPlanLimits } from './plan-limits.ts';

function read(text: string | undefined) {
  const env = new EnvReader({ PLAN_LIMITS: text });
  return { limits: readPlanLimits(env), finish: () => env.finish() };
}

describe('plan limits', () => {
  it('have the documented defaults', () => {
    const { limits, finish } = read(undefined);
    finish();
    expect(Object.values(limits).map((plan) => plan.apiRequestsPerSecond)).toEqual([500, 500, 500, 500]);
    expect(Object.values(limits).map((plan) => plan.apiRequestsPerSecondPerKey)).toEqual([
      200, 200, 200, 200,
    ]);
    const creation = Object.entries(limits).map(([plan, l]) => [
      plan,
      l.callCreationPerSecond,
      l.callCreationPerMinute,
      l.concurrentCalls,
      l.priorityCalls,
      l.freeMinutes,
    ]);
    expect(creation).toEqual([
      ['FREE', 5, 30, 5, 0, 30],
      ['PAYGO', 5, 30, 5, 0, null],
      ['PRO', 10, 120, null, 0, null],
      ['SCALE', 30, 360, null, 100, null],
    ]);
  });

  it('can be overridden one by one', () => {
    const { limits, finish } = read(
      '{"SCALE":{"callCreationPerSecond":1000},"FREE":{"concurrentCalls":null}}',
    );
    finish();
    expect(limits.SCALE).toEqual({ ...PLAN_LIMITS.SCALE, callCreationPerSecond: 1000 });
    expect(limits.FREE).toEqual({ ...PLAN_LIMITS.FREE, concurrentCalls: null });
    expect(limits.PRO).toEqual(PLAN_LIMITS.PRO);
  });

  it.each([
    ['{', 'PLAN_LIMITS must be JSON'],
    ['[]', 'PLAN_LIMITS must be an object'],
    ['{"GOLD":{}}', 'PLAN_LIMITS GOLD is not a known field'],
    ['{"PRO":{"calls":1}}', 'PLAN_LIMITS PRO.calls is not a known field'],
    ['{"PRO":{"callCreationPerSecond":0}}', 'PLAN_LIMITS PRO.callCreationPerSecond must be >= 1 (got 0)'],
    ['{"PRO":{"callCreationPerSecond":null}}', 'PLAN_LIMITS PRO.callCreationPerSecond must be an integer'],
  ])('reject %s', (text, issue) => {
    expect(read(text).finish).toThrow(issue);
  });
});
