/** Parameters after `;`, with lower-case names; null for a name without a value. */
export type SipParameters = ReadonlyMap<string, string | null>;

/** Splits at separators outside of quoted strings and `<>`, and trims the parts. */
export function splitOutside(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  let isBracketed = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (isQuoted) {
      if (character === '\\') i += 1;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === '<') isBracketed = true;
    else if (character === '>') isBracketed = false;
    else if (character === separator && !isBracketed) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  parts.push(text.slice(start).trim());
  return parts;
}

/** For a repeated name, the first value counts. */
export function readParameters(parts: readonly string[]): SipParameters {
  const parameters = new Map<string, string | null>();
  for (const part of parts) {
    const at = part.indexOf('=');
    const name = (at === -1 ? part : part.slice(0, at)).trim().toLowerCase();
    if (name === '' || parameters.has(name)) continue;
    parameters.set(name, at === -1 ? null : unquoted(part.slice(at + 1).trim()));
  }
  return parameters;
}

const NEEDS_NO_QUOTES = /^[\w.!%*+`'~[\]:@-]+$/u;

export function writeParameters(parameters: SipParameters): string {
  return [...parameters]
    .map(([name, value]) => (value === null ? `;${name}` : `;${name}=${quotedWhereNeeded(value)}`))
    .join('');
}

function quotedWhereNeeded(value: string): string {
  return NEEDS_NO_QUOTES.test(value) ? value : quoted(value);
}

export function quoted(text: string): string {
  return `"${text.replaceAll(/[\\"]/gu, String.raw`\$&`)}"`;
}

export function unquoted(text: string): string {
  if (!/^".*"$/su.test(text) || text.length < 2) return text;
  return text.slice(1, -1).replaceAll(/\\(.)/gsu, '$1');
}
