import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';

const Cap = Nullable(Type.Integer({ minimum: 0 }));

export const Account = Closed(
  {
    accountId: Uuid,
    name: Type.String(),
    billingUrl: Type.String(),
    freeTimeUsed: Duration,
    freeTimeRemaining: Duration,
    hasActiveSubscription: Type.Boolean(),
    subscriptionTier: Nullable(Type.String()),
    subscriptionCadence: Nullable(Type.String()),
    subscriptionExpiration: Nullable(DateTime),
    subscriptionScheduledUpdate: Nullable(DateTime),
    subscriptionRenewal: Nullable(DateTime),
    activeCalls: Type.Integer({ minimum: 0 }),
    /** Null: no cap. */
    allowedConcurrentCalls: Cap,
    allowedVoices: Cap,
    allowedCorpora: Cap,
  },
  'Account',
);
export type Account = Static<typeof Account>;
