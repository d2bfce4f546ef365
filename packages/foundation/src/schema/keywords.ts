// Apart from annotations.ts because processes that only validate load this, and no schema builder.

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
