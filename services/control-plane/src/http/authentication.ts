import type { KeyHolder } from '@calls/store/tables/api-keys';
import type { Request, RequestHandler, Response } from 'express';
import type { CallTokenAuthenticator, CallTokenHolder } from '../auth/call-token-authenticator.ts';
import type { KeyAttempts } from '../auth/key-attempts.ts';
import { createKeyCheck, type KeyAuthenticator } from '../auth/key-authenticator.ts';
import type { ConsoleSessions } from '../console/console-sessions.ts';
import { unauthorized } from '../problems/problem.ts';
import type { SessionCookie } from './session-cookie.ts';

/** An account (`fromConsole`: by a console session) or the holder of a call token. */
export type AccountCaller =
  | { by: 'key'; key: KeyHolder; fromConsole: boolean }
  | { by: 'call_token'; token: CallTokenHolder };

/** The caller of a request. `administrator`: the name of an admin token, which only the admin API accepts. */
export type Caller = AccountCaller | { by: 'admin_token'; administrator: string };

const callers = new WeakMap<Response, Caller>();

export interface AuthenticationDeps {
  authenticator: KeyAuthenticator;
  keyAttempts: KeyAttempts;
  callTokenAuthenticator: CallTokenAuthenticator;
  sessions: ConsoleSessions;
  sessionCookie: SessionCookie;
}

/** Returns the caller of a request. Throws 401 or 429 if it has no valid credentials. */
export type CallerCheck = (request: Request) => Promise<AccountCaller>;

export function createCallerCheck(deps: AuthenticationDeps): CallerCheck {
  const holderOf = createKeyCheck(deps.authenticator, deps.keyAttempts);
  return async (request) => {
    const keyText = request.get('X-API-Key') ?? request.get('X-Unsafe-API-Key');
    if (keyText !== undefined) {
      return { by: 'key', key: await holderOf(keyText, request.ip ?? ''), fromConsole: false };
    }
    const tokenText = request.get('X-Svc-Call-Token');
    if (tokenText !== undefined) {
      const token = await deps.callTokenAuthenticator(tokenText);
      if (!token) throw unauthorized('The call token is not valid, or its call has ended.');
      return { by: 'call_token', token };
    }
    const session = await sessionHolder(deps, request);
    if (!session) throw unauthorized();
    return { by: 'key', key: session.holder, fromConsole: true };
  };
}

/**
 * Accepts requests with a valid key, call token or console session. The response does not say why one is rejected. An
 * address that sends too many unknown keys gets 429 for them.
 */
export function authentication(checkCaller: CallerCheck): RequestHandler {
  return async (request, response, next) => {
    callers.set(response, await checkCaller(request));
    next();
  };
}

/** The holder of the request's console session; null if there is no session or its key is no longer valid. */
export async function sessionHolder(
  { authenticator, sessions, sessionCookie }: Omit<AuthenticationDeps, 'callTokenAuthenticator'>,
  request: Request,
): Promise<{ holder: KeyHolder; expiresAt: Date } | null> {
  const sealed = sessionCookie.read(request);
  const session = sealed === undefined ? null : sessions.open(sealed);
  const holder = session && (await authenticator.authenticate(session.key));
  return holder && { holder, expiresAt: session.expiresAt };
}

export function callerOrNull(response: Response): Caller | null {
  return callers.get(response) ?? null;
}

export function setCaller(response: Response, caller: Caller): void {
  callers.set(response, caller);
}

/** Returns the caller of a request to the API of accounts. Call it only after `authentication`. */
export function accountCallerOf(response: Response): AccountCaller {
  const caller = callerOf(response);
  if (caller.by === 'admin_token') throw new Error('the route is not part of the admin API');
  return caller;
}

/** Returns the administrator of a request. Call it only after the authentication of the admin API. */
export function administratorOf(response: Response): string {
  const caller = callerOf(response);
  if (caller.by !== 'admin_token') throw new Error('the route is part of the admin API');
  return caller.administrator;
}

/** Returns the caller of a request. Call it only after `authentication`. */
export function callerOf(response: Response): Caller {
  const caller = callers.get(response);
  if (!caller) throw new Error('the route is not behind authentication');
  return caller;
}
