import type { Feature, Plan } from '@calls/api-contract/rest/account';
import type { AccountLimits } from '@calls/api-contract/rest/plan-limits';
import type { Selectable } from 'kysely';
import type { AccountTable } from '../schema/account-tables.ts';

/** What an account may do. */
export interface AccountTerms {
  plan: Plan;
  features: Feature[];
  /** They replace those of the plan. */
  limits: AccountLimits;
  /** Whether it may not create calls and test runs. */
  isSuspended: boolean;
}

/** The columns for `termsOf`. */
export const TERM_COLUMNS = [
  'accounts.plan',
  'accounts.features',
  'accounts.limits',
  'accounts.suspended_at',
] as const;

export type TermsRow = Pick<Selectable<AccountTable>, 'plan' | 'features' | 'limits' | 'suspended_at'>;

export function termsOf({ plan, features, limits, suspended_at: suspendedAt }: TermsRow): AccountTerms {
  return { plan, features, limits, isSuspended: suspendedAt !== null };
}
