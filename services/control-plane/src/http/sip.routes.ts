import type { BodyOf } from '@calls/api-contract/operations/operation';
import {
  createSipRegistration,
  deleteSipRegistration as deleteOperation,
  getSipConfig,
  getSipRegistration,
  listSipRegistrations,
  updateSipConfig,
  updateSipRegistration as updateOperation,
} from '@calls/api-contract/operations/sip.operations';
import type { FallbackHandler } from '@calls/api-contract/rest/sip';
import { sipServerIssues } from '@calls/call-lifecycle/creation/sip-trunk';
import { urlRefusal, type UrlGuard } from '@calls/call-lifecycle/creation/url-rules';
import type { Clock } from '@calls/foundation/clock';
import { newId, newSigningSecret } from '@calls/foundation/ids';
import type { Issue } from '@calls/foundation/schema/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { sipSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import {
  changeSipConfig,
  deleteSipRegistration,
  findSipConfig,
  findSipRegistration,
  insertSipRegistration,
  sipRegistrationsOf,
  updateSipRegistration,
  type SipConfigChange,
  type SipConfigRow,
} from '@calls/store/tables/sip';
import type { ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { unknownAgentIssues } from '../agents/agent-service.ts';
import { invalidRequest, orConflict, orNotFound } from '../problems/problem.ts';
import { sipConfigView, sipRegistrationView } from '../sip/sip-view.ts';
import type { ApiRouter } from './api-router.ts';
import { sipAccountOf } from './route-guards.ts';

export interface SipRoutesDeps {
  db: Database;
  secretBox: SecretBox;
  outbound: UrlGuard;
  /** Parent domain of the accounts' SIP domains. */
  sipDomain: string;
  /** Whether media-workers make SIP calls over TLS. */
  hasSipTls: boolean;
  clock: Clock;
  checksOf: ChecksOf;
}

type ConfigBody = BodyOf<typeof updateSipConfig>;

const TAKEN = 'Another registration of the account has this username and proxy.';

export function sipRoutes(api: ApiRouter, deps: SipRoutesDeps): void {
  const { db, secretBox, outbound, sipDomain, hasSipTls, clock, checksOf } = deps;
  const sealed = (accountId: string, secret: string): string =>
    secretBox.seal(secret, sipSecretContext(accountId));
  const view = (row: SipConfigRow) => sipConfigView(row, sipDomain);
  const checkServers = (body: BodyOf<typeof updateOperation>): void => {
    const issues = sipServerIssues(body, hasSipTls);
    if (issues.length > 0) throw invalidRequest('request body', issues);
  };

  const issuesOf = async (accountId: string, body: ConfigBody): Promise<Issue[]> => {
    const { allowedAgents = [], fallbackHandler } = body;
    const patterns = allowedAgents.flatMap(({ toUserPattern }, i) =>
      toUserPattern === undefined ? [] : [{ toUserPattern, path: `allowedAgents.${i}.toUserPattern` }],
    );
    const messages = await checksOf(accountId).patternIssues(
      patterns.map(({ toUserPattern }) => toUserPattern),
    );
    const issues = patterns.flatMap(({ path }, i): Issue[] => {
      const message = messages[i] ?? null;
      return message === null ? [] : [{ path, message }];
    });
    const refusal = fallbackHandler ? urlRefusal(outbound, fallbackHandler.url) : null;
    if (refusal !== null) issues.push({ path: 'fallbackHandler.url', message: refusal });
    const named = allowedAgents.map(({ agentId }, i) => ({ agentId, path: `allowedAgents.${i}.agentId` }));
    return [...issues, ...(await unknownAgentIssues(db, accountId, named))];
  };
  /** Converts the handler to its stored form. `made`: generated secrets. */
  const handlerOf = async (
    accountId: string,
    { url, secrets }: FallbackHandler,
  ): Promise<{ handler: SipConfigChange['fallbackHandler']; made: string[] | null }> => {
    const { fallback_handler: known } = await findSipConfig(db, accountId);
    if (!secrets && known) return { handler: { url, secrets: known.secrets }, made: null };
    const made = secrets ? null : [newSigningSecret()];
    const plain = secrets ?? made ?? [];
    return { handler: { url, secrets: plain.map((secret) => sealed(accountId, secret)) }, made };
  };

  api
    .on(getSipConfig, async (request) => view(await findSipConfig(db, sipAccountOf(request))))
    .on(updateSipConfig, async (request) => {
      const accountId = sipAccountOf(request);
      const { fallbackHandler, ...change } = request.body;
      const issues = await issuesOf(accountId, request.body);
      if (issues.length > 0) throw invalidRequest('request body', issues);
      const given = fallbackHandler ? await handlerOf(accountId, fallbackHandler) : null;
      const handler = fallbackHandler === null ? null : given?.handler;
      const shown = view(await changeSipConfig(db, accountId, { ...change, fallbackHandler: handler }));
      if (!shown.fallbackHandler || !given?.made) return shown;
      return { ...shown, fallbackHandler: { ...shown.fallbackHandler, secrets: given.made } };
    })
    .list(listSipRegistrations, (request) => ({
      source: sipRegistrationsOf(db, sipAccountOf(request)),
      item: sipRegistrationView,
    }))
    .on(createSipRegistration, async (request) => {
      const accountId = sipAccountOf(request);
      const { username, password, proxy, outboundProxy = null, authUser = null } = request.body;
      checkServers(request.body);
      const row = await orConflict(
        TAKEN,
        insertSipRegistration(db, {
          registration_id: newId(),
          account_id: accountId,
          username,
          sealed_password: sealed(accountId, password),
          proxy,
          outbound_proxy: outboundProxy,
          auth_user: authUser,
          created_at: new Date(clock.wallMs()),
        }),
      );
      return sipRegistrationView(row);
    })
    .on(getSipRegistration, async (request) => {
      const row = await findSipRegistration(db, sipAccountOf(request), request.params.registration_id);
      return sipRegistrationView(orNotFound('registration', row));
    })
    .on(updateOperation, async (request) => {
      const accountId = sipAccountOf(request);
      const { username, password, proxy, outboundProxy, authUser } = request.body;
      checkServers(request.body);
      const change = {
        ...(username !== undefined && { username }),
        ...(password !== undefined && { sealed_password: sealed(accountId, password) }),
        ...(proxy !== undefined && { proxy }),
        ...(outboundProxy !== undefined && { outbound_proxy: outboundProxy }),
        ...(authUser !== undefined && { auth_user: authUser }),
      };
      const id = request.params.registration_id;
      const row = await orConflict(TAKEN, updateSipRegistration(db, accountId, id, change));
      return sipRegistrationView(orNotFound('registration', row));
    })
    .on(deleteOperation, async (request) => {
      const deleted = await deleteSipRegistration(db, sipAccountOf(request), request.params.registration_id);
      orNotFound('registration', deleted);
    });
}
