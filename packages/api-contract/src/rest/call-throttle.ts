import { described, ReadOnly } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { defineResource } from './resource.ts';

export const CallThrottleRule = Closed(
  {
    maxCalls: Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'Maximum number of calls that may be created within the window.',
    }),
    windowSeconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'Length of the sliding window in seconds.',
    }),
  },
  'CallThrottleRule',
  'A limit on the number of calls created within a sliding window.',
);
export type CallThrottleRule = Static<typeof CallThrottleRule>;

/** A named set of rates that calls can be created under; all its rules must pass. */
export const CallThrottle = defineResource('CallThrottle', {
  throttleId: ReadOnly(described(Uuid, 'Id of the throttle.')),
  name: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Name of the throttle, unique in the account.',
  }),
  created: ReadOnly(described(DateTime, 'When the throttle was created.')),
  rules: Type.Array(CallThrottleRule, {
    minItems: 1,
    maxItems: 10,
    description: 'Rules of the throttle. A call is rejected when it exceeds one of them.',
  }),
});
export type CallThrottle = Static<typeof CallThrottle.Response>;
