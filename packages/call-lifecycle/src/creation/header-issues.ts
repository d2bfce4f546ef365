import type { Issue } from '@calls/foundation/schema/validator';
import { valuesAt } from './values-at.ts';

const MAPS = ['dataConnection.headers', 'externalVoice.generic.headers'];
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/u;

/** Custom headers that no request can carry, such as a token with a line break. */
export function headerIssues(body: unknown): Issue[] {
  return MAPS.flatMap((map) =>
    valuesAt(body, `${map}.*`).flatMap(({ path, value }): Issue[] => {
      const message = headerNameIssue(path.slice(map.length + 1)) ?? headerTextIssue(value);
      return message === null ? [] : [{ path, message }];
    }),
  );
}

/** Why a header cannot have this name, or null. */
export function headerNameIssue(name: string): string | null {
  return HEADER_NAME.test(name) ? null : 'must be the name of an HTTP header';
}

/** Why a header cannot have this value, or null. Values that are not text are left to the schema. */
function headerTextIssue(value: unknown): string | null {
  return typeof value !== 'string' || HEADER_TEXT.test(value)
    ? null
    : 'must be text that an HTTP header can carry';
}
