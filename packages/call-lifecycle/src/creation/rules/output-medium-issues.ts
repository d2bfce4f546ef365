import type { Issue } from '@calls/api-contract/validation/validator';
import { valueAt } from './values-at.ts';

/** The mediums that `mediumRestriction` allows; null if all are allowed. */
export function allowedMediums(body: unknown): readonly unknown[] | null {
  const allowed = valueAt(body, 'mediumRestriction.allowedMediums');
  const named = Array.isArray(allowed)
    ? allowed.filter((medium) => medium !== 'MESSAGE_MEDIUM_UNSPECIFIED')
    : [];
  return named.length === 0 ? null : named;
}

export function outputMediumIssues(body: unknown): Issue[] {
  const initial = valueAt(body, 'initialOutputMedium');
  if (initial === undefined || initial === 'MESSAGE_MEDIUM_UNSPECIFIED') return [];
  if (allowedMediums(body)?.includes(initial) ?? true) return [];
  return [{ path: 'initialOutputMedium', message: 'must be one of mediumRestriction.allowedMediums' }];
}
