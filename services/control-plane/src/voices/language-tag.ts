import type { Issue } from '@calls/api-contract/validation/validator';

/** Issues of a BCP 47 language tag. Values that are not text are left to the schema. */
export function languageTagFaults(path: string, tag: unknown): Issue[] {
  if (typeof tag !== 'string') return [];
  try {
    Intl.getCanonicalLocales(tag);
    return [];
  } catch {
    return [{ path, message: 'must be a BCP 47 language tag, such as "en-GB"' }];
  }
}
