import type { Feature } from '@calls/store/schema/account-tables';
import type { KeyHolder } from '@calls/store/tables/api-keys';
import { HttpProblem } from '../problems/problem.ts';

/** Throws 403 if the account does not have the feature. */
export function requireFeature({ features }: KeyHolder, feature: Feature): void {
  if (features.includes(feature)) return;
  const detail = `The feature ${feature} is not enabled for this account.`;
  throw new HttpProblem(403, 'feature_not_enabled', detail);
}
