import type { Clock } from '@calls/foundation/clock';
import { compileValidator } from '@calls/foundation/schema/validator';
import express, { Router } from 'express';
import { Type } from 'typebox';
import { acceptInvitation } from '../accounts/invitations.ts';
import { HttpProblem, invalidRequest, limited, unauthorized } from '../problems/problem.ts';
import { limitBodySize, requireOneOf } from './body-parsers.ts';
import { requireConsole, shownSession, type ConsoleSessionDeps } from './console-session.routes.ts';
import { requestIdOf } from './request-log.ts';
import { onlyMethods } from './route-guards.ts';

const MAX_BODY_BYTES = 4096;

const Acceptance = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 128 }) },
  { additionalProperties: false },
);

/**
 * `POST /console/invitation`: accepts an invitation once. Returns the new API key, which only this response contains,
 * and signs in with it. Wrong tokens count as invalid keys of the address.
 */
export function consoleInvitationRoutes(deps: ConsoleSessionDeps & { clock: Clock }): Router {
  const { db, clock, authenticator, keyAttempts, sessions, sessionCookie } = deps;
  const acceptance = compileValidator('request body', Acceptance);
  const router = Router();
  router
    .route('/console/invitation')
    .post(
      requireOneOf(['application/json']),
      limitBodySize(MAX_BODY_BYTES),
      express.json({ limit: MAX_BODY_BYTES, type: 'application/json' }),
      async (request, response) => {
        response.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'same-origin' });
        requireConsole(request);
        const body: unknown = request.body ?? {};
        const issues = acceptance.issues(body);
        if (issues.length > 0) throw invalidRequest('request body', issues);
        const { token } = body as { token: string };
        const sourceAddress = request.ip ?? '';
        const by = {
          ...{ now: new Date(clock.wallMs()), sourceAddress },
          requestId: requestIdOf(response) ?? '',
        };
        const accepted = await acceptInvitation(db, token, by);
        if (!accepted) {
          const waitMs = keyAttempts.take(sourceAddress);
          if (waitMs > 0)
            throw limited('api_rate', 'Too many invalid invitations were sent from this address.', waitMs);
          throw new HttpProblem(404, 'not_found', 'The invitation is unknown, expired or already accepted.');
        }
        const { secret } = accepted;
        const holder = await authenticator.authenticate(secret);
        if (!holder) throw unauthorized();
        const { sealed, expiresAt, lifetimeMs } = sessions.begin(secret);
        sessionCookie.set(response, sealed, lifetimeMs);
        response.status(201).json({ session: await shownSession(db, holder, expiresAt), secret });
      },
    )
    .all(onlyMethods('POST'));
  return router;
}
