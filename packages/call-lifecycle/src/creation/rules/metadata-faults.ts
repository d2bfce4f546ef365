import { RESERVED_METADATA_PREFIX } from '@calls/api-contract/rest/call';
import type { Fault } from '@calls/api-contract/validation/validator';
import { valuesAt } from './values-at.ts';

export function metadataFaults(body: unknown): Fault[] {
  return valuesAt(body, 'metadata.*')
    .filter(({ path }) => path.startsWith(`metadata.${RESERVED_METADATA_PREFIX}`))
    .map(({ path }) => ({
      path,
      message: `must not start with "${RESERVED_METADATA_PREFIX}", which is reserved`,
    }));
}
