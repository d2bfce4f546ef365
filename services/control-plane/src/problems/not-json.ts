import { toError } from '@calls/foundation/errors';

/** The detail for a body that `JSON.parse` rejects. Its error says what was expected, and where. */
export function notJson(cause: unknown): string {
  return `The request body is not valid JSON: ${toError(cause).message}.`;
}
