/** Of the text of one message, as the rows of calls hold it. */
export const MAX_MESSAGE_CHARS = 65_536;
/** Of what went wrong with a tool. */
export const MAX_ERROR_DETAILS_CHARS = 4096;
const MAX_TOOL_NAME_CHARS = 64;

/**
 * Its beginning, without what no database, voice or server of a model takes: NUL characters and halves of surrogate pairs
 * become U+FFFD.
 */
export function plainText(text: string, maxChars = MAX_MESSAGE_CHARS): string {
  return text.slice(0, maxChars).replaceAll('\0', '\ufffd').toWellFormed();
}

/** Names of tools as every server of a model takes them back; those that a call has are that already. */
export function plainToolName(name: string): string {
  const plain = name.slice(0, MAX_TOOL_NAME_CHARS).replace(/[^a-zA-Z0-9_-]/gu, '_');
  return plain === '' ? '_' : plain;
}
