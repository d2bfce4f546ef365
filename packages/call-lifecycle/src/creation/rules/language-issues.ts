import type { Issue } from '@calls/api-contract/validation/validator';
import { valueAt } from './values-at.ts';

/** Rejects values that match the pattern of language tags but are invalid: `en-GB-GB`, `en-a`. */
export function languageIssues(body: unknown): Issue[] {
  const tag = valueAt(body, 'languageHint');
  // The schema rejects other values.
  if (typeof tag !== 'string' || !/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/u.test(tag)) return [];
  try {
    Intl.getCanonicalLocales(tag);
    return [];
  } catch {
    return [{ path: 'languageHint', message: 'must be a BCP 47 language tag, such as "en-GB"' }];
  }
}
