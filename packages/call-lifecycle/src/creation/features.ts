import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { PlanLimits } from '@calls/api-contract/rest/plan-limits';
import type { Feature } from '@calls/api-contract/rest/account';
import type { AccountTerms } from '@calls/store/tables/account-terms';
import { CallRefusal } from './refusal.ts';
import { admissionPreferenceOf, retentionPolicyOf } from './resolve-settings.ts';

/** Throws if a valid request needs a feature that the account does not have. */
export function assertFeatures(
  account: Pick<AccountTerms, 'features' | 'plan'>,
  limits: PlanLimits,
  request: StartCallRequest,
): void {
  const preference = admissionPreferenceOf(request.admissionPreference);
  const needed: readonly (readonly [feature: Feature, isNeeded: boolean])[] = [
    ['sip', request.medium?.sip !== undefined],
    ['retentionPolicy', retentionPolicyOf(request.retentionPolicy) !== 'retain'],
    ['admissionPreference', preference !== null],
  ];
  for (const [feature, isNeeded] of needed) {
    if (isNeeded && !account.features.includes(feature)) {
      throw notEnabled(`The feature ${feature} is not enabled for this account.`);
    }
  }
  if (preference === 'priority' && limits.priorityCalls === 0) {
    throw notEnabled(`Priority calls are not part of the plan ${account.plan}.`);
  }
}

/** Throws if the account is suspended. */
export function assertNotSuspended({ isSuspended }: Pick<AccountTerms, 'isSuspended'>): void {
  if (!isSuspended) return;
  const detail = 'The account is suspended and cannot create calls or test runs.';
  throw new CallRefusal('forbidden', 'account_suspended', detail);
}

function notEnabled(detail: string): CallRefusal {
  return new CallRefusal('forbidden', 'feature_not_enabled', detail);
}
