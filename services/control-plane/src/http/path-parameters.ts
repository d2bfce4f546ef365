import { pathParameterForm } from '@calls/api-contract/openapi/path-parameters';
import { notFound } from '../problems/problem.ts';

/** Refuses what can't be there: `call_id` names a call, and one that isn't a uuid is none. */
export function assertPathParameters(params: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(params)) {
    if (!pathParameterForm(name).fits(value)) {
      throw notFound(name.replace(/_(?:id|prefix|index)$/u, '').replaceAll('_', ' '));
    }
  }
}
