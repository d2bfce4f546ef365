/** Length limit of a message's text. */
const MAX_MESSAGE_CHARS = 65_536;
/** Length limit of error details. */
export const MAX_ERROR_DETAILS_CHARS = 4096;
const MAX_TOOL_NAME_CHARS = 64;

/**
 * Truncates text and replaces NUL characters and lone surrogates, which databases, TTS providers and model
 * servers reject, by U+FFFD.
 */
export function plainText(text: string, maxChars = MAX_MESSAGE_CHARS): string {
  return text.slice(0, maxChars).replaceAll('\0', '\ufffd').toWellFormed();
}

/** Restricts a tool name to what all model servers accept. Names of a call's tools already comply. */
export function plainToolName(name: string): string {
  const plain = name.slice(0, MAX_TOOL_NAME_CHARS).replace(/[^a-zA-Z0-9_-]/gu, '_');
  return plain === '' ? '_' : plain;
}
