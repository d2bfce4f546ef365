import type { MimeTypeFilter } from '@calls/api-contract/rest/corpus';
import { documentMimeType } from '../mime-types.ts';

/** Whether documents of this type are wanted: all types are, unless some are named. */
export function isRelevant(mimeType: string, filter: MimeTypeFilter | undefined): boolean {
  const names = (types: string[] | undefined): boolean =>
    (types ?? []).some((type) => (documentMimeType(type) ?? type.toLowerCase()) === mimeType);
  if (names(filter?.exclude?.mimeTypes)) return false;
  const included = filter?.include?.mimeTypes ?? [];
  return included.length === 0 || names(included);
}
