import type { Bus } from '@calls/bus/bus';
import type { EventOfCall, Seal } from '@calls/bus/call-seal';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { TELEPHONY_PROVIDERS, type TelephonyProvider } from '@calls/providers/telephony/telephony-vendors';
import type { JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import type { Database } from '@calls/store/store';
import { findAnyCall, setProviderCallId, type CallRow } from '@calls/store/tables/calls';
import { Router, type Request, type RequestHandler } from 'express';
import { notFound, unauthorized } from '../problems/problem.ts';
import { endPhoneCall } from '../telephony/end-phone-call.ts';
import { nextStep } from '../telephony/next-step.ts';
import { notReachedBy } from '../telephony/phone-status.ts';
import type { PhoneUrlsOf } from '../telephony/phone-urls.ts';
import { hangUpXml, streamXml, transferXml } from '../telephony/stream-xml.ts';
import { addCallbackRoutes, callbackFields } from './provider-callbacks.ts';
import { assertPathParameters } from './route-guards.ts';

export interface TelephonyCallDeps {
  db: Database;
  bus: Pick<Bus, 'callLogs' | 'commands'>;
  eventSeal: Seal<EventOfCall>;
  tokens: JoinTokens;
  phoneUrls: PhoneUrlsOf;
  clock: Clock;
  log: Logger;
}

/**
 * Endpoints that a telephony provider calls for a phone call. The call's join token in the URL is the
 * permission. Unknown fields are ignored.
 */
export function telephonyCallRoutes(deps: TelephonyCallDeps): Router {
  const { db, bus, tokens, phoneUrls, log } = deps;

  /** The call that the token is for; undefined if it was deleted. */
  const callOf = async (request: Request): Promise<CallRow | undefined> => {
    const params = request.params as { call_id: string };
    assertPathParameters(params);
    const callId = params.call_id.toLowerCase();
    const { token } = request.query;
    const claims = typeof token === 'string' ? await tokens.verify(token) : null;
    if (claims?.callId !== callId) throw unauthorized('The token is not valid for this call.');
    return findAnyCall(db, callId);
  };

  const answer: RequestHandler = async (request, response) => {
    const call = await callOf(request);
    response
      .set('Cache-Control', 'no-store')
      .type('text/xml')
      .send(await xmlFor(call));
  };

  const xmlFor = async (call: CallRow | undefined): Promise<string> => {
    if (!call) return hangUpXml();
    const provider = providerOf(call);
    const next = await nextStep({ ...deps, callLogs: bus.callLogs, commands: bus.commands }, call);
    log.info(
      { callId: call.call_id, provider, next: next.kind },
      'provider requested instructions for phone call',
    );
    switch (next.kind) {
      case 'hang_up':
        return hangUpXml();
      case 'transfer': {
        const callerId = call.settings.medium[provider]?.outgoing?.from ?? null;
        return transferXml(provider, { target: next.target, callerId });
      }
      case 'stream':
        return streamXml(provider, await phoneUrls(call));
    }
  };

  const status: RequestHandler = async (request, response) => {
    const call = await callOf(request);
    if (call && !call.ended_at) {
      const provider = providerOf(call);
      const notReachedCall = notReachedBy(provider, callbackFields(request));
      // The provider of an incoming phone call does not get this URL.
      if (notReachedCall && call.dialled_at) {
        await setProviderCallId(db, call.call_id, null);
        await endPhoneCall(deps, { callId: call.call_id, provider, detail: notReachedCall.detail });
      }
    }
    response.status(204).end();
  };

  const router = Router();
  addCallbackRoutes(router, {
    '/telephony/:call_id/answer': answer,
    '/telephony/:call_id/status': status,
  });
  return router;
}

/** Throws if the call's medium has no such endpoint. */
function providerOf({ settings }: CallRow): TelephonyProvider {
  const provider = TELEPHONY_PROVIDERS.find((name) => settings.medium[name] !== undefined);
  if (provider === undefined) throw notFound('phone call');
  return provider;
}
