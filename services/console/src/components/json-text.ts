/** Returns a value as the text of an input. Text stays unchanged, unless it could be parsed as JSON. */
export function valueText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' && typeof jsonOrText(value) === 'string' && !value.startsWith('"')
    ? value
    : JSON.stringify(value);
}

/** Returns the parsed value if the text is valid JSON, otherwise the text. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
