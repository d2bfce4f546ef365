import { Type, type TSchema, type TString } from 'typebox';
import { PATTERN_MESSAGE, DESCRIPTION_HERE } from './schema-keywords.ts';

/** The schema with a mark that is true of all texts at or below it. */
export function marked<S extends TSchema>(schema: S, ...keywords: readonly string[]): S {
  return Type.With(schema, Object.fromEntries(keywords.map((keyword) => [keyword, true]))) as S;
}

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
