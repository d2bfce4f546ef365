import type { KeyHolder } from '@calls/store';
import type { RequestHandler, Response } from 'express';
import type { CallTokenAuthenticator, CallTokenHolder } from '../auth/call-token-authenticator.ts';
import type { KeyAttempts } from '../auth/key-attempts.ts';
import type { KeyAuthenticator } from '../auth/key-authenticator.ts';
import { limited, unauthorized } from './problem.ts';

/** Whose request it is: of an account, or of who acts for one of its calls. */
export type Caller = { by: 'key'; key: KeyHolder } | { by: 'call_token'; token: CallTokenHolder };

const callers = new WeakMap<Response, Caller>();

export interface AuthenticationParts {
  authenticator: KeyAuthenticator;
  keyAttempts: KeyAttempts;
  callTokenAuthenticator: CallTokenAuthenticator;
}

/**
 * Lets requests with a valid key or call token through; which of the reasons keeps one out is not told. An address from which
 * unknown keys come has to wait; keys that were good of late don't.
 */
export function authentication({
  authenticator: keys,
  keyAttempts,
  callTokenAuthenticator: callTokens,
}: AuthenticationParts): RequestHandler {
  const holderOf = async (key: string, address: string): Promise<KeyHolder> => {
    const mayBeGuess = keys.mayBeGuess(key);
    const waitMs = mayBeGuess ? keyAttempts.take(address) : 0;
    if (waitMs > 0) {
      throw limited('api_rate', 'Too many unknown API keys have come from this address.', waitMs);
    }
    let isUnknown = false;
    try {
      const holder = await keys.authenticate(key);
      isUnknown = holder === null;
      if (!holder) throw unauthorized();
      return holder;
    } finally {
      if (mayBeGuess && !isUnknown) keyAttempts.giveBack(address);
    }
  };
  return async (request, response, next) => {
    const keyText = request.get('X-API-Key') ?? request.get('X-Unsafe-API-Key');
    const tokenText = request.get('X-Svc-Call-Token');
    if (keyText !== undefined) {
      const key = await holderOf(keyText, request.ip ?? '');
      callers.set(response, { by: 'key', key });
    } else if (tokenText !== undefined) {
      const token = await callTokens(tokenText);
      if (!token) throw unauthorized('The call token is not valid, or its call is over.');
      callers.set(response, { by: 'call_token', token });
    } else {
      throw unauthorized();
    }
    next();
  };
}

export function callerOrNull(response: Response): Caller | null {
  return callers.get(response) ?? null;
}

/** Only behind `authentication`. */
export function callerOf(response: Response): Caller {
  const caller = callers.get(response);
  if (!caller) throw new Error('the route is not behind authentication');
  return caller;
}
