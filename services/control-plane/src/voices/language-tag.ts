import type { Issue } from '@calls/api-contract/validation/validator';

/** What is wrong with a BCP 47 language tag; anything but text is the schema's to say. */
export function languageTagFaults(path: string, tag: unknown): Issue[] {
  if (typeof tag !== 'string') return [];
  try {
    Intl.getCanonicalLocales(tag);
    return [];
  } catch {
    return [{ path, message: 'must be a BCP 47 language tag, such as "en-GB"' }];
  }
}
