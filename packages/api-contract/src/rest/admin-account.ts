import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { InvitationLifetime } from './api-key.ts';
import { Duration } from '../duration.ts';
import { FEATURES, PLANS } from './account.ts';
import { AccountLimits, PlanLimits } from './plan-limits.ts';

export const ACCOUNT_STATUSES = ['active', 'suspended', 'deleted'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

export const AccountStatusName = Type.Enum([...ACCOUNT_STATUSES], {
  description: 'Suspended accounts create no calls; deleted accounts are records only.',
});

const settings = {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Name of the account.' }),
  plan: Type.Enum([...PLANS], { description: 'Plan of the account; its limits follow from it.' }),
  features: Type.Array(Type.Enum([...FEATURES]), {
    uniqueItems: true,
    maxItems: FEATURES.length,
    description: 'Features that are enabled besides those of the plan.',
  }),
  limits: described(AccountLimits, "The account's own limits, which replace those of the plan."),
  billingEmail: Nullable(Type.String({ minLength: 3, maxLength: 254 }), 'Where bills go.'),
  paymentMethod: Nullable(Type.String({ minLength: 1, maxLength: 100 }), 'How the account pays.'),
};

export const AdminAccount = Closed(
  {
    accountId: described(Uuid, 'Id of the account.'),
    created: described(DateTime, 'When the account was created.'),
    status: AccountStatusName,
    ...settings,
    effectiveLimits: described(
      PlanLimits,
      'The limits that apply: those of the plan with the overrides of the account.',
    ),
    freeTimeUsed: described(Duration, 'Free call time that ended calls used.'),
    activeCalls: Type.Integer({ minimum: 0, description: 'Calls that have not ended.' }),
    suspended: Nullable(DateTime, 'When the account was suspended; null if it is not.'),
    suspensionReason: Nullable(Type.String(), 'Why the account was suspended.'),
    deleted: Nullable(DateTime, 'When the account was deleted; null if it is not.'),
  },
  'AdminAccount',
  'An account as administrators see it.',
);
export type AdminAccount = Static<typeof AdminAccount>;

const changes = {
  plan: Type.Optional(settings.plan),
  features: Type.Optional(settings.features),
  limits: Type.Optional(settings.limits),
  billingEmail: Type.Optional(settings.billingEmail),
  paymentMethod: Type.Optional(settings.paymentMethod),
};

export const AdminAccountRequest = Closed(
  { name: settings.name, ...changes },
  'AdminAccountRequest',
  'A new account. The plan defaults to `FREE`.',
);
export type AdminAccountRequest = Static<typeof AdminAccountRequest>;

export const PatchedAdminAccount = Closed(
  { name: Type.Optional(settings.name), ...changes },
  'PatchedAdminAccount',
  'Changes to an account. Omitted fields do not change.',
);
export type PatchedAdminAccount = Static<typeof PatchedAdminAccount>;

export const SuspensionRequest = Closed(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Reason, which is shown to the account.',
    }),
  },
  'SuspensionRequest',
  'The reason of a suspension.',
);

export const KeyRotationRequest = Closed(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30 * 86_400,
        default: 0,
        description: 'How long the old key still works.',
      }),
    ),
  },
  'KeyRotationRequest',
  'How to rotate an API key.',
);

export const InvitationRequest = Closed(
  {
    keyName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 50,
        default: 'first key',
        description: 'Name of the API key that the user gets.',
      }),
    ),
    expiresInSeconds: Type.Optional(InvitationLifetime),
  },
  'InvitationRequest',
  'An invitation to an account.',
);

export const AdminInvitation = Closed(
  {
    url: Type.String({ description: 'Link for the user, with a token. Works once.' }),
    keyName: Type.String({ description: 'Name of the API key that the user gets.' }),
    expires: described(DateTime, 'When the link stops working.'),
  },
  'AdminInvitation',
  'A new invitation.',
);
export type AdminInvitation = Static<typeof AdminInvitation>;
