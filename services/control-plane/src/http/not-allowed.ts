import type { RequestHandler } from 'express';
import { HttpProblem } from '../problems/problem.ts';

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
