import type { Bus } from '@calls/bus/bus';
import type { Logger } from '@calls/foundation/logger';
import { TELEPHONY_PROVIDERS, type TelephonyProvider } from '@calls/providers/telephony/telephony-vendors';
import type { LegClaims, LegTokens } from '@calls/secrets/join-tokens/leg-tokens';
import { Router, type Request, type RequestHandler } from 'express';
import { unauthorized } from '../problems/problem.ts';
import { notReachedBy } from '../telephony/phone-status.ts';
import type { LegUrlsOf } from '../telephony/phone-urls.ts';
import { hangUpXml, streamXml } from '../telephony/stream-xml.ts';
import { addCallbackRoutes, callbackFields } from './provider-callbacks.ts';
import { assertPathParameters } from './route-guards.ts';

export interface PhoneLegRoutesDeps {
  bus: Pick<Bus, 'commands'>;
  legTokens: Pick<LegTokens, 'verify'>;
  legUrls: LegUrlsOf;
  log: Logger;
}

/**
 * Endpoints that a telephony provider calls for the person of a warm transfer. The token in the URL is the permission.
 * The id of the leg addresses the worker that waits for the person.
 */
export function phoneLegRoutes({ bus, legTokens, legUrls, log }: PhoneLegRoutesDeps): Router {
  const legOf = (request: Request): LegClaims & { provider: TelephonyProvider } => {
    const params = request.params as { call_id: string };
    assertPathParameters(params);
    const { token } = request.query;
    const claims = typeof token === 'string' ? legTokens.verify(token) : null;
    const provider = TELEPHONY_PROVIDERS.find((each) => each === claims?.provider);
    if (!claims || !provider || claims.callId !== params.call_id.toLowerCase())
      throw unauthorized('The token is not valid for this call.');
    return { ...claims, provider };
  };

  const answer: RequestHandler = async (request, response) => {
    const { callId, legId, provider } = legOf(request);
    const isAwaited = await bus.commands.isServed(legId);
    log.info({ callId, legId, provider, isAwaited }, 'target of a warm transfer answered the phone');
    const { joinUrl } = legUrls({ callId, legId, provider });
    response
      .set('Cache-Control', 'no-store')
      .type('text/xml')
      .send(isAwaited ? streamXml(provider, { joinUrl, answerUrl: null }) : hangUpXml());
  };

  const status: RequestHandler = async (request, response) => {
    const { legId, provider } = legOf(request);
    const notReached = notReachedBy(provider, callbackFields(request));
    // No worker responds if the leg is over.
    if (notReached) await bus.commands.send(legId, { kind: 'not_reached', ...notReached });
    response.status(204).end();
  };

  const router = Router();
  addCallbackRoutes(router, {
    '/telephony/:call_id/person/answer': answer,
    '/telephony/:call_id/person/status': status,
  });
  return router;
}
