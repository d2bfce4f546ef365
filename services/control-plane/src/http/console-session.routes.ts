import { compileValidator } from '@calls/foundation/schema/validator';
import type { Database } from '@calls/store/store';
import { findAccount } from '@calls/store/tables/accounts';
import type { KeyHolder } from '@calls/store/tables/api-keys';
import express, { Router, type Request } from 'express';
import { Type } from 'typebox';
import { createKeyCheck } from '../auth/key-authenticator.ts';
import { invalidRequest, orNotFound, unauthorized } from '../problems/problem.ts';
import { sessionHolder, type AuthenticationDeps } from './authentication.ts';
import { limitBodySize, requireOneOf } from './body-parsers.ts';
import { onlyMethods } from './route-guards.ts';

const MAX_BODY_BYTES = 4096;

const SignIn = Type.Object(
  { apiKey: Type.String({ minLength: 1, maxLength: 128 }) },
  { additionalProperties: false },
);

export type ConsoleSessionDeps = Omit<AuthenticationDeps, 'callTokenAuthenticator'> & { db: Database };

/**
 * `/console/session`: signs in with an API key (POST), signs out (DELETE), and returns the signed-in account
 * (GET; null if none).
 */
export function consoleSessionRoutes(deps: ConsoleSessionDeps): Router {
  const { db, sessions, sessionCookie } = deps;
  const holderOf = createKeyCheck(deps.authenticator, deps.keyAttempts);
  const signIn = compileValidator('request body', SignIn);

  const router = Router();
  router
    .route('/console/session')
    .all((_request, response, next) => {
      response.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'same-origin' });
      next();
    })
    .get(async (request, response) => {
      const session = await sessionHolder(deps, request);
      response.json(session && (await shownSession(db, session.holder, session.expiresAt)));
    })
    .post(
      requireOneOf(['application/json']),
      limitBodySize(MAX_BODY_BYTES),
      express.json({ limit: MAX_BODY_BYTES, type: 'application/json' }),
      async (request, response) => {
        requireConsole(request);
        const body: unknown = request.body ?? {};
        const issues = signIn.issues(body);
        if (issues.length > 0) throw invalidRequest('request body', issues);
        const { apiKey } = body as { apiKey: string };
        const holder = await holderOf(apiKey, request.ip ?? '');
        const { sealed, expiresAt, lifetimeMs } = sessions.begin(apiKey);
        sessionCookie.set(response, sealed, lifetimeMs);
        response.json(await shownSession(db, holder, expiresAt));
      },
    )
    .delete((request, response) => {
      requireConsole(request);
      sessionCookie.clear(response);
      response.status(204).end();
    })
    .all(onlyMethods('GET', 'POST', 'DELETE'));
  return router;
}

/** The signed-in account, for the console. */
export async function shownSession(db: Database, holder: KeyHolder, expiresAt: Date) {
  const { account_id: accountId, name } = orNotFound('account', await findAccount(db, holder.accountId));
  return {
    account: { accountId, name },
    key: { prefix: holder.prefix, role: holder.role },
    expires: expiresAt.toISOString(),
  };
}

/** Prevents other sites from signing a browser in or out. */
export function requireConsole(request: Request): void {
  if (request.get('X-Console') !== '1')
    throw unauthorized('Console sessions can only be started and ended by the console.');
}
