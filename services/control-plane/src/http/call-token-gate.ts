import type { AnyOperation } from '@calls/api-contract/operations/operation';
import type { RequestHandler } from 'express';
import { callerOf } from './authentication.ts';
import { HttpProblem, notFound } from '../problems/problem.ts';

/**
 * Accepts a call token if the operation is about its call and the token has the required scope. Always accepts keys.
 */
export function callTokenGate({ callScope }: AnyOperation): RequestHandler {
  return (request, response, next) => {
    const caller = callerOf(response);
    if (caller.by === 'call_token') {
      const { callId, scopes } = caller.token;
      if (!callScope) {
        throw new HttpProblem(
          403,
          'api_key_required',
          'This operation requires an API key; a call token is not sufficient.',
        );
      }
      if (String(request.params['call_id']).toLowerCase() !== callId) throw notFound('call');
      if (!scopes.includes(callScope)) {
        throw new HttpProblem(403, 'missing_scope', `The call token does not have the scope ${callScope}.`);
      }
    }
    next();
  };
}

/** Removes fields that give further access, for holders of call tokens and viewers. */
export function withoutAccess<T>(body: T): T {
  const hasJoinUrl = typeof body === 'object' && body !== null && 'joinUrl' in body;
  return hasJoinUrl ? { ...body, joinUrl: null } : body;
}
