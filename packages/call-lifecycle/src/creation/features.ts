import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { PlanLimits } from '@calls/redis/rate-limits/plan-limits';
import type { Feature } from '@calls/store/schema/account-tables';
import type { KeyHolder } from '@calls/store/tables/api-keys';
import { CallRefusal } from './refusal.ts';
import { admissionPreferenceOf, retentionPolicyOf } from './resolve-settings.ts';

/** Throws if a valid request needs a feature that the account does not have. */
export function assertFeatures(
  account: Pick<KeyHolder, 'features' | 'plan'>,
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

function notEnabled(detail: string): CallRefusal {
  return new CallRefusal('forbidden', 'feature_not_enabled', detail);
}
