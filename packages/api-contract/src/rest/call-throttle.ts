import { Type, type Static } from 'typebox';
import { Closed, DateTime, Uuid } from './common.ts';
import { defineResource, ReadOnly } from './resource.ts';

export const CallThrottleRule = Closed(
  {
    maxCalls: Type.Integer({ minimum: 1, maximum: 100 }),
    windowSeconds: Type.Integer({ minimum: 1, maximum: 86_400 }),
  },
  'CallThrottleRule',
);
export type CallThrottleRule = Static<typeof CallThrottleRule>;

/** A named set of rates that calls can be created under; all its rules must pass. */
export const CallThrottle = defineResource('CallThrottle', {
  throttleId: ReadOnly(Uuid),
  name: Type.String({ minLength: 1, maxLength: 64 }),
  created: ReadOnly(DateTime),
  rules: Type.Array(CallThrottleRule, { minItems: 1, maxItems: 10 }),
});
export type CallThrottle = Static<typeof CallThrottle.Response>;
