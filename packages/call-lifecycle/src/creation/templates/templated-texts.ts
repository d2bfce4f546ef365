import { mapMarked } from '@calls/api-contract/marks';
import { TEMPLATED_MARK } from '@calls/api-contract/rest/annotations';
import { CallTemplate } from '@calls/api-contract/rest/call-template';

/** A copy of a call template with what `map` returns for each text that can hold variables; `path` is dotted. Takes any value. */
export function mapTemplatedTexts<T>(template: T, map: (text: string, path: string) => string): T {
  return mapMarked(CallTemplate.Request, TEMPLATED_MARK, template, map);
}
