import { Type, type TSchema, type TString } from 'typebox';

/** Keyword of secrets. Its value: what a stored secret belongs to, as dotted paths of fields beside it. */
export const SECRET_MARK = 'x-secret';

/** Keyword of a pattern: what a text that does not match is reported with, from "must" on. */
export const PATTERN_MESSAGE = 'x-pattern-message';

/** Keyword of a schema with a title: what it means at this place; its `description` says what it is everywhere. */
export const DESCRIPTION_HERE = 'x-description-here';

/**
 * Keyword of settings of which a vendor accepts less than the API takes. Its value: JSON Schema keywords. The API stores such a
 * setting; the vendor's adapter refuses to speak with it.
 */
export const ACCEPTED_MARK = 'x-accepted';

/** Keywords of this project. Validators ignore them, and the OpenAPI document leaves them out. */
export const PROJECT_KEYWORDS: readonly string[] = [
  SECRET_MARK,
  PATTERN_MESSAGE,
  DESCRIPTION_HERE,
  ACCEPTED_MARK,
];

/** The schema with a description for the property, parameter or item that it is used for. */
export function described<S extends TSchema>(schema: S, description: string): S {
  return Type.With(schema, { ['title' in schema ? DESCRIPTION_HERE : 'description']: description }) as S;
}

/** Text that matches a pattern; `message` ("must be …") is the validation error of a text that does not. */
export function Pattern(
  pattern: string,
  message: string,
  options: { minLength?: number; maxLength?: number; description?: string } = {},
): TString {
  return Type.String({ ...options, pattern, [PATTERN_MESSAGE]: message });
}
