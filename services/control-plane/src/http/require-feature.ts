import type { Feature } from '@calls/store/schema/account';
import type { KeyHolder } from '@calls/store/tables/api-keys';
import { HttpProblem } from '../problems/problem.ts';

/** 403 where the account doesn't have the feature. */
export function requireFeature({ features }: KeyHolder, feature: Feature): void {
  if (features.includes(feature)) return;
  const detail = `The feature ${feature} is not enabled for this account.`;
  throw new HttpProblem(403, 'feature_not_enabled', detail);
}
