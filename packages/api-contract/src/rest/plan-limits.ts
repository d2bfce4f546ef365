import { Closed, Nullable } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';

const Limit = (description: string) => Type.Integer({ minimum: 1, maximum: 1_000_000, description });
const Cap = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 }), `${description} Null means without limit.`);

/** Limits of a plan. Null: no limit. */
export const PlanLimits = Closed(
  {
    apiRequestsPerSecond: Limit('API requests per second of the account.'),
    apiRequestsPerSecondPerKey: Limit('API requests per second of each API key.'),
    callCreationPerSecond: Limit('New calls per second.'),
    callCreationPerMinute: Limit('New calls per minute.'),
    concurrentCalls: Cap('Calls that are created and have not ended.'),
    priorityCalls: Cap('Concurrent calls with the admission preference `priority`.'),
    freeMinutes: Cap('Free minutes that the account gets once.'),
  },
  'PlanLimits',
  'The limits that apply to an account.',
);
export type PlanLimits = Readonly<Static<typeof PlanLimits>>;

/** Limits of one account that replace those of its plan. */
export const AccountLimits = Type.Partial(PlanLimits, {
  title: 'AccountLimits',
  description: 'Limits that replace those of the plan.',
  additionalProperties: false,
});
export type AccountLimits = Readonly<Static<typeof AccountLimits>>;
