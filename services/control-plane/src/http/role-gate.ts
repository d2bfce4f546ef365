import type { AnyOperation } from '@calls/api-contract/operations/operation';
import type { RequestHandler } from 'express';
import { HttpProblem } from '../problems/problem.ts';
import { callerOf } from './authentication.ts';

/**
 * Rejects keys with a role that does not allow the operation: viewers may only send GET requests, and only
 * administrators manage keys.
 */
export function roleGate({ method, byAdministrators }: AnyOperation): RequestHandler {
  return (_request, response, next) => {
    const caller = callerOf(response);
    const role = caller.by === 'key' ? caller.key.role : null;
    if (role === 'viewer' && method !== 'GET')
      throw notAllowed('The role of the API key is viewer, which allows GET requests only.');
    if (role === 'member' && byAdministrators)
      throw notAllowed('This operation requires an API key with the role administrator.');
    next();
  };
}

function notAllowed(detail: string): HttpProblem {
  return new HttpProblem(403, 'role_not_allowed', detail);
}
