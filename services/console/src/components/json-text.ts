/** A value as the text of an input: text as it is, unless it would read as JSON. */
export function valueText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' && typeof jsonOrText(value) === 'string' && !value.startsWith('"')
    ? value
    : JSON.stringify(value);
}

/** JSON if the text is valid JSON. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
