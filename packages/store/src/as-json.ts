/** Matches JSON text that may have to change. Tested first, because most text has many escapes and none of these. */
const SUSPECT = /\\u(?:0000|d[89a-f])/;
/** Matches an escape in JSON text: for NUL, for an unpaired surrogate, or any other. */
const ESCAPE = /\\(u0000|ud[89a-f][0-9a-f]{2}|[^])/g;

/**
 * JSON that a jsonb column accepts. PostgreSQL rejects NUL characters and unpaired surrogates, which users
 * and models may send; they become U+FFFD.
 */
export function asJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!SUSPECT.test(json)) return json;
  return json.replace(ESCAPE, (escape, what: string) => (what.length > 1 ? '\ufffd' : escape));
}

/** The value as a jsonb column returns it, except for the order of keys. */
export function asStored<T>(value: T): T {
  return JSON.parse(asJson(value)) as T;
}

/** Text that a text column accepts; the same replacements as `asJson`. */
export function asText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}
