import { Type, type TSchema, type TString } from 'typebox';

/** Keyword of secrets. Its value: what a stored secret belongs to, as dotted paths of fields beside it. */
export const SECRET_MARK = 'x-secret';

/** Keyword of a pattern: the validation message, starting with "must". */
export const PATTERN_MESSAGE = 'x-pattern-message';

/** Keyword of a titled schema: its meaning at this place. Its `description` applies everywhere. */
export const DESCRIPTION_HERE = 'x-description-here';

/**
 * Keyword of settings for which a vendor has narrower limits than the API. Its value: JSON Schema keywords. The API
 * stores such a setting; the vendor's adapter rejects it.
 */
export const ACCEPTED_MARK = 'x-accepted';

/** Keyword of texts that can hold template variables (`{{name}}`) in the template of an agent. */
export const TEMPLATED_MARK = 'x-templated';

/** Keyword of texts that identify the called party: stored sealed if the retention policy of the call is `zdr`. */
export const CALLED_PARTY_MARK = 'x-called-party';

/** Keyword of texts that can repeat the conversation if a tool sets them for a stage: then stored sealed in calls with `zdr`. */
export const CONVERSATION_TEXT_MARK = 'x-conversation-text';

/** Keyword of durations that have an upper limit. Its value: milliseconds. */
export const MAX_DURATION_MARK = 'x-max-duration-ms';

/** Keywords of this project. Validators ignore them, and the OpenAPI document leaves them out. */
export const PROJECT_KEYWORDS: readonly string[] = [
  SECRET_MARK,
  PATTERN_MESSAGE,
  DESCRIPTION_HERE,
  ACCEPTED_MARK,
  TEMPLATED_MARK,
  CALLED_PARTY_MARK,
  CONVERSATION_TEXT_MARK,
  MAX_DURATION_MARK,
];

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
