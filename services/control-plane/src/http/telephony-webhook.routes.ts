import { startTelephonyCall } from '@calls/api-contract/operations/telephony.operations';
import { textIssues } from '@calls/api-contract/validation/text-issues';
import {
  AgentCallCreator,
  type CreateAgentCallRequest,
} from '@calls/call-lifecycle/creation/agent-call-creator';
import type { CallCreator } from '@calls/call-lifecycle/creation/call-creator';
import type { Clock } from '@calls/foundation/clock';
import { nameBasedId } from '@calls/foundation/ids';
import type { SignedRequest } from '@calls/providers/telephony/signature';
import {
  TELEPHONY_PROVIDERS,
  type TelephonyProvider,
  TELEPHONY_ACCOUNTS,
} from '@calls/providers/telephony/telephony-vendors';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { isUniqueViolation } from '@calls/store/store-error';
import { termsOf } from '@calls/store/tables/account-terms';
import { findCall, type CallRow } from '@calls/store/tables/calls';
import { findTelephonyConfigOfAgent, type AgentTelephonyRow } from '@calls/store/tables/telephony-configs';
import express, { Router, type Request } from 'express';
import { notJson } from '../problems/not-json.ts';
import { HttpProblem, invalidRequest, orNotFound } from '../problems/problem.ts';
import { endPhoneCall, type EndPhoneCallDeps } from '../telephony/end-phone-call.ts';
import { mapContext } from '../telephony/map-context.ts';
import { notReachedBy } from '../telephony/phone-status.ts';
import type { PhoneUrlsOf } from '../telephony/phone-urls.ts';
import { hangUpXml, streamXml } from '../telephony/stream-xml.ts';
import { openTelephonySecrets } from '../telephony/telephony-config-service.ts';
import { limitBodySize, requireOneOf } from './body-parsers.ts';
import { assertPathParameters, onlyMethods } from './route-guards.ts';

export interface TelephonyWebhookDeps extends EndPhoneCallDeps {
  db: Database;
  secretBox: SecretBox;
  creator: CallCreator;
  phoneUrls: PhoneUrlsOf;
  clock: Clock;
}

/** Later calls of the same phone call get random ids. */
const MAX_NAMED_CALLS = 20;
const FORM = 'application/x-www-form-urlencoded';

/** The webhook for incoming calls of telephony providers. Their signature replaces an API key. */
export function telephonyWebhookRoutes(publicUrl: string, deps: TelephonyWebhookDeps): Router {
  const { db, secretBox, creator, phoneUrls, clock } = deps;
  const agentCalls = new AgentCallCreator({ db, secretBox, calls: creator });

  /**
   * The error does not say what is wrong, so that it reveals neither whether the agent exists nor how the account is
   * set up.
   */
  const configOf = async (
    agentId: string,
    provider: TelephonyProvider | undefined,
    request: SignedRequest,
  ): Promise<AgentTelephonyRow> => {
    const config = provider && (await findTelephonyConfigOfAgent(db, agentId, provider));
    if (
      config &&
      TELEPHONY_ACCOUNTS[config.provider].signature.fits(
        request,
        openTelephonySecrets(config, secretBox),
        clock.wallMs(),
      )
    ) {
      return config;
    }
    throw new HttpProblem(
      401,
      'unauthorized',
      'A valid signature of a telephony provider that the account has configured is required.',
    );
  };

  /**
   * Providers repeat a request if they get no response. The repeated request gets the same call, unless that call has
   * been joined or has ended: the same phone call then needs another call. `phoneCallId`: null if the request has none.
   */
  const createForPhoneCall = async (
    request: CreateAgentCallRequest,
    phoneCallId: string | null,
  ): Promise<CallRow | null> => {
    if (phoneCallId === null) return agentCalls.create(request);
    const { accountId } = request.account;
    for (let count = 1; count <= MAX_NAMED_CALLS; count += 1) {
      const callId = callIdOf(accountId, request.agentId, phoneCallId, count);
      const earlier = await findCall(db, accountId, callId);
      try {
        if (!earlier) return await agentCalls.create({ ...request, callId });
      } catch (thrown) {
        if (!isUniqueViolation(thrown)) throw thrown;
      }
      const call = earlier ?? (await findCall(db, accountId, callId));
      if (call && !call.joined_at && !call.ended_at) return call;
    }
    return agentCalls.create(request);
  };

  /** Ends the calls that were created for a phone call, if the provider reports that the phone call is over. */
  const takeReport = async (
    agentId: string,
    { account_id: accountId, provider }: AgentTelephonyRow,
    said: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    const over = notReachedBy(provider, said);
    const phoneCallId = phoneCallIdOf(provider, said);
    if (!over || phoneCallId === null) return;
    for (let count = 1; count <= MAX_NAMED_CALLS; count += 1) {
      const callId = callIdOf(accountId, agentId, phoneCallId, count);
      const call = await findCall(db, accountId, callId);
      if (!call) return;
      if (!call.ended_at) await endPhoneCall(deps, { callId, provider, detail: over.detail });
    }
  };

  const respond = async (agentId: string, request: Request): Promise<string> => {
    const signed = signedRequest(request, `${publicUrl}${request.originalUrl}`);
    const provider = TELEPHONY_PROVIDERS.find((name) =>
      TELEPHONY_ACCOUNTS[name].signature.headers.some((header) => signed.header(header) !== undefined),
    );
    const config = await configOf(agentId, provider, signed);
    const said = parametersOf(signed);
    if (isReport(config.provider, said)) {
      await takeReport(agentId, config, said);
      return hangUpXml();
    }
    if (!config.allow_all_agents && !config.allowed_agent_ids.includes(agentId)) {
      const detail = `The configuration of ${config.provider} does not allow calls of this agent.`;
      throw new HttpProblem(403, 'agent_not_allowed', detail);
    }
    const row = await createForPhoneCall(
      {
        account: { accountId: config.account_id, ...termsOf(config) },
        agentId,
        body: {
          medium: { [config.provider]: config.dtmf_handling ? { dtmfHandling: config.dtmf_handling } : {} },
          templateContext: mapContext(config.request_context_mapping, said),
        },
        requestContext: { [config.provider]: said },
      },
      phoneCallIdOf(config.provider, said),
    );
    return streamXml(config.provider, await phoneUrls(orNotFound('agent', row)));
  };

  const router = Router();
  router
    .route(startTelephonyCall.path.replace('{agent_id}', ':agent_id'))
    .post(
      requireOneOf([FORM, 'application/json']),
      limitBodySize(startTelephonyCall.maxBodyBytes),
      express.raw({ limit: startTelephonyCall.maxBodyBytes, type: () => true }),
      async (request, response) => {
        const params = request.params as { agent_id: string };
        assertPathParameters(params);
        const xml = await respond(params.agent_id.toLowerCase(), request);
        response.set('Cache-Control', 'no-store').type('text/xml').send(xml);
      },
    )
    .all(onlyMethods('POST'));
  return router;
}

function signedRequest(request: Request, url: string): SignedRequest {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return {
    url,
    header: (name) => request.get(name),
    body,
    form: request.is(FORM) || body.length === 0 ? new URLSearchParams(body.toString('utf8')) : null,
  };
}

/** Form parameters; for repeated names, the last value. */
function parametersOf({ form, body }: SignedRequest): unknown {
  const said: unknown = form ? Object.fromEntries(form) : parsed(body);
  const issues = textIssues(said);
  if (issues.length > 0) throw invalidRequest('request body', issues);
  return said;
}

/** What a callback is about, in the field `CallbackSource`. Requests for instructions have none of these. */
const REPORTS = new Set<unknown>(['call-progress-events', 'call-cost-events']);

/** Whether it is a status callback instead of a request for instructions. */
function isReport(provider: TelephonyProvider, said: unknown): said is Readonly<Record<string, unknown>> {
  if (typeof said !== 'object' || said === null) return false;
  const fields = said as Readonly<Record<string, unknown>>;
  return notReachedBy(provider, fields) !== null || REPORTS.has(fields['CallbackSource']);
}

/** The id of the call that is created for a phone call; `count`: 1 for the first one. */
function callIdOf(accountId: string, agentId: string, phoneCallId: string, count: number): string {
  return nameBasedId(`${agentId}/${phoneCallId}${count === 1 ? '' : `/${count}`}`, accountId);
}

/** The provider's key and its id of the phone call; null if the request has none. */
function phoneCallIdOf(provider: TelephonyProvider, said: unknown): string | null {
  const id = (said as Record<string, unknown> | null)?.[TELEPHONY_ACCOUNTS[provider].callIdField];
  return typeof id === 'string' && id !== '' ? `${provider}/${id}` : null;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (thrown) {
    throw new HttpProblem(400, 'malformed_request', notJson(thrown));
  }
}
