import { Type, type TSchema, type TString } from 'typebox';
import { DESCRIPTION_HERE, PATTERN_MESSAGE, SECRET_MARK } from './keywords.ts';

/** Marks a schema with keywords that apply to all texts at or below it. */
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

export interface ReadOnlyMark {
  readOnly: true;
}
export interface WriteOnlyMark {
  writeOnly: true;
}

/** Set by the service. Ignored in requests. */
export function ReadOnly<S extends TSchema>(schema: S): S & ReadOnlyMark {
  return Type.With(schema, { readOnly: true }) as S & ReadOnlyMark;
}

/** Accepted in requests, never returned. */
export function WriteOnly<S extends TSchema>(schema: S): S & WriteOnlyMark {
  return Type.With(schema, { writeOnly: true }) as S & WriteOnlyMark;
}

/**
 * A credential, or texts that are credentials: write-only, and sealed when stored or sent on the bus. If a request
 * replaces an object without its secret, the stored secret remains unless the fields in `belongsTo` change.
 */
export function Secret<S extends TSchema>(schema: S, belongsTo: readonly string[] = []): S & WriteOnlyMark {
  return WriteOnly(Type.With(schema, { [SECRET_MARK]: belongsTo }) as S);
}
