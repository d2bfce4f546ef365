import { isUuid } from '@calls/api-contract';
import { notFound } from './problem.ts';

/** Parameters that aren't uuids, by name, and their form. */
const FORMS: Readonly<Record<string, RegExp>> = {
  api_key_prefix: /^[A-Za-z0-9]{8}$/u,
  call_stage_message_index: /^\d{1,9}$/u,
};

/** Refuses what can't be there: `call_id` names a call, and one that isn't a uuid is none. */
export function assertPathParameters(params: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(params)) {
    const form = FORMS[name];
    const fits = form ? form.test(value) : isUuid(value);
    if (!fits) throw notFound(name.replace(/_(?:id|prefix|index)$/u, '').replaceAll('_', ' '));
  }
}
