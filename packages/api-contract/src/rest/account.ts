import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';

const Count = Type.Integer({ minimum: 0 });

export const Account = Closed(
  {
    accountId: described(Uuid, 'Id of the account.'),
    name: Type.String({ description: 'Name of the account, set by the operator.' }),
    billingUrl: Type.String({ description: 'URL of this installation.' }),
    freeTimeUsed: described(Duration, 'Free call time that ended calls used.'),
    freeTimeRemaining: described(
      Duration,
      'Unused free call time, including the time that live calls reserve; `0s` for plans without free time.',
    ),
    hasActiveSubscription: Type.Boolean({ description: 'Whether the account is on a paid plan.' }),
    subscriptionTier: Nullable(Type.String(), 'Paid plan: `PAYGO`, `PRO` or `SCALE`. Null on the free plan.'),
    subscriptionCadence: Nullable(Type.String(), 'Always null: the operator manages subscriptions.'),
    subscriptionExpiration: Nullable(DateTime, 'Always null: the operator manages subscriptions.'),
    subscriptionScheduledUpdate: Nullable(DateTime, 'Always null: the operator manages subscriptions.'),
    subscriptionRenewal: Nullable(DateTime, 'Always null: the operator manages subscriptions.'),
    activeCalls: described(Count, 'Calls of the account that have not ended.'),
    allowedConcurrentCalls: Nullable(Count, 'Maximum number of live calls. Null means no limit.'),
    allowedVoices: Nullable(Count, 'Private voices that the account may add. Null means without limit.'),
    allowedCorpora: Nullable(Count, 'Corpora that the account may create. Null means without limit.'),
  },
  'Account',
  'An account: the owner of calls, agents and all other resources.',
);
export type Account = Static<typeof Account>;

export const PLANS = ['FREE', 'PAYGO', 'PRO', 'SCALE'] as const;
/** What an account pays for; its limits follow from it. */
export type Plan = (typeof PLANS)[number];

/** What an account may be allowed besides its plan. */
export const FEATURES = ['sip', 'retentionPolicy', 'admissionPreference'] as const;
export type Feature = (typeof FEATURES)[number];
