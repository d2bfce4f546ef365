import { toError } from '@calls/foundation/errors';

/** The detail for a body that `JSON.parse` rejects. Its error says what was expected, and where. */
export function notJson(cause: unknown): string {
  // V8 ends some messages with an excerpt of the text and this phrase.
  const reason = toError(cause).message.replace(/, (.*) is not valid JSON$/su, ' in $1');
  return `The request body is not valid JSON: ${reason}.`;
}
