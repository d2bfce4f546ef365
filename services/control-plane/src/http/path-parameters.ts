import { pathParameterForm } from '@calls/api-contract/openapi/path-parameters';
import { notFound } from '../problems/problem.ts';

/** Responds 404 to malformed path parameters: for example, a `call_id` that is not a UUID names no call. */
export function assertPathParameters(params: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(params)) {
    if (!pathParameterForm(name).fits(value)) {
      throw notFound(name.replace(/_(?:id|prefix|index)$/u, '').replaceAll('_', ' '));
    }
  }
}
