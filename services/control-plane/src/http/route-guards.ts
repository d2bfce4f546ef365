import { pathParameterForm } from '@calls/api-contract/openapi/path-parameters';
import type { KeyHolder } from '@calls/store/tables/api-keys';
import type { RequestHandler } from 'express';
import { HttpProblem, notFound } from '../problems/problem.ts';

const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** The last handler of a path: rejects unsupported methods. */
export function onlyMethods(...methods: readonly string[]): RequestHandler {
  const taken = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  const allow = ORDER.filter((method) => taken.includes(method)).join(', ');
  return (request, response) => {
    response.set('Allow', allow);
    if (request.method === 'OPTIONS') {
      response.status(204).end();
      return;
    }
    throw new HttpProblem(
      405,
      'method_not_allowed',
      `The method ${request.method} is not supported by this path.`,
    );
  };
}

/** Responds 404 to malformed path parameters: for example, a `call_id` that is not a UUID names no call. */
export function assertPathParameters(params: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(params)) {
    if (!pathParameterForm(name).fits(value)) {
      throw notFound(name.replace(/_(?:id|prefix|index)$/u, '').replaceAll('_', ' '));
    }
  }
}

/** The account of a request for SIP settings. Throws 403 if the account does not have the feature `sip`. */
export function sipAccountOf({ holder }: { holder: KeyHolder }): string {
  if (holder.features.includes('sip')) return holder.accountId;
  throw new HttpProblem(403, 'feature_not_enabled', 'The feature sip is not enabled for this account.');
}
