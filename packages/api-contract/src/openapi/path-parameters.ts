import { isUuid } from '../validation/is-uuid.ts';
import type { JsonSchema } from './component-schemas.ts';

interface PathParameterForm {
  schema: JsonSchema;
  fits(text: string): boolean;
}

const UUID_FORM: PathParameterForm = { schema: { type: 'string', format: 'uuid' }, fits: isUuid };

/** Parameters that aren't uuids, by name. */
const OTHER_FORMS: Readonly<Record<string, PathParameterForm>> = {
  api_key_prefix: {
    schema: { type: 'string', pattern: '^[A-Za-z0-9]{8}$' },
    fits: (text) => /^[A-Za-z0-9]{8}$/u.test(text),
  },
  call_stage_message_index: {
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999 },
    fits: (text) => /^\d{1,9}$/u.test(text),
  },
};

/** What a parameter in a path looks like, by its name. */
export function pathParameterForm(name: string): PathParameterForm {
  return (Object.hasOwn(OTHER_FORMS, name) ? OTHER_FORMS[name] : undefined) ?? UUID_FORM;
}
