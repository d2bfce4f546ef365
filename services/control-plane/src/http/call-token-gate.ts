import type { AnyOperation } from '@calls/api-contract/operations/operation';
import type { RequestHandler } from 'express';
import { callerOf } from './authentication.ts';
import { HttpProblem, notFound } from '../problems/problem.ts';

/** Lets the token of a call through where the operation is about that call and the token has its scope; keys, always. */
export function callTokenGate({ callScope }: AnyOperation): RequestHandler {
  return (request, response, next) => {
    const caller = callerOf(response);
    if (caller.by === 'call_token') {
      const { callId, scopes } = caller.token;
      if (!callScope) {
        throw new HttpProblem(
          403,
          'api_key_required',
          'The token of a call does not open this; an API key does.',
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

/** An answer as the holder of a call token may see it: with nothing in it that opens something else. */
export function withoutAccess<T>(answer: T): T {
  const hasJoinUrl = typeof answer === 'object' && answer !== null && 'joinUrl' in answer;
  return hasJoinUrl ? { ...answer, joinUrl: null } : answer;
}
