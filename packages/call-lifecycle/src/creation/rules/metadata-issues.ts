import { RESERVED_METADATA_PREFIX } from '@calls/api-contract/rest/call-setting-values';
import type { Issue } from '@calls/api-contract/validation/validator';
import { valuesAt } from './values-at.ts';

export function metadataIssues(body: unknown): Issue[] {
  return valuesAt(body, 'metadata.*')
    .filter(({ path }) => path.startsWith(`metadata.${RESERVED_METADATA_PREFIX}`))
    .map(({ path }) => ({
      path,
      message: `must not start with "${RESERVED_METADATA_PREFIX}", which is reserved`,
    }));
}
