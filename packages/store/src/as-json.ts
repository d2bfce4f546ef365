/** In JSON text: an escape for NUL, an escape for half a surrogate pair, or any other escape. */
const ESCAPE = /\\(u0000|ud[89a-f][0-9a-f]{2}|[^])/g;

/**
 * JSON that a jsonb column takes. PostgreSQL refuses NUL characters and halves of surrogate pairs, which people and
 * models may send all the same; they become U+FFFD.
 */
export function asJson(value: unknown): string {
  return JSON.stringify(value).replace(ESCAPE, (escape, what: string) =>
    what.length > 1 ? '\ufffd' : escape,
  );
}

/** Text that a text column takes, likewise. */
export function asText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}
