import type { BodyOf } from '@calls/api-contract/operations/operation';
import {
  createSipTrunk,
  deleteSipTrunk as deleteOperation,
  getSipTrunk,
  listSipTrunks,
  updateSipTrunk as updateOperation,
} from '@calls/api-contract/operations/sip-trunks.operations';
import { isSipHost, sipUserOf } from '@calls/call-lifecycle/creation/sip-address';
import { sipServerIssues } from '@calls/call-lifecycle/creation/sip-trunk';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { Issue } from '@calls/foundation/schema/validator';
import { isNetwork } from '@calls/outbound-http/networks';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { sipSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import {
  deleteSipTrunk,
  findSipTrunk,
  insertSipTrunk,
  sipTrunksOf,
  updateSipTrunk,
  type SipTrunkRow,
  type StoredCredentials,
} from '@calls/store/tables/sip-trunks';
import { HttpProblem, invalidRequest, orNotFound } from '../problems/problem.ts';
import { sipTrunkView } from '../sip/sip-view.ts';
import type { ApiRouter } from './api-router.ts';
import { sipAccountOf } from './route-guards.ts';

export interface SipTrunkRoutesDeps {
  db: Database;
  secretBox: SecretBox;
  /** Whether media-workers make SIP calls over TLS. */
  hasSipTls: boolean;
  clock: Clock;
}

type TrunkBody = BodyOf<typeof updateOperation>;

const MAX_TRUNKS = 100;
const TOO_MANY = `The account has ${MAX_TRUNKS} SIP trunks already.`;

/** The settings of a trunk before any are set. */
const DEFAULTS = {
  enabled: true,
  proxy: null,
  outbound_proxy: null,
  default_from: null,
  numbers: [],
  allowed_cidr_ranges: [],
  codecs: [],
  credentials: { outgoing: null, incoming: null },
  max_calls: null,
};

export function sipTrunkRoutes(api: ApiRouter, deps: SipTrunkRoutesDeps): void {
  const { db, secretBox, hasSipTls, clock } = deps;
  /** The columns that a body changes in a trunk. */
  const changeOf = (
    accountId: string,
    body: Omit<TrunkBody, 'name'>,
    before: Pick<SipTrunkRow, 'credentials'>,
  ) => {
    const issues = addressIssues(body, hasSipTls);
    const seal = (password: string): string => secretBox.seal(password, sipSecretContext(accountId));
    const credentials = (
      stored: StoredCredentials | null,
      given: { username: string | null | undefined; password: string | null | undefined },
      paths: { username: string; password: string },
    ): StoredCredentials | null => {
      const username = given.username === undefined ? (stored?.username ?? null) : given.username;
      const password = given.password == null ? null : seal(given.password);
      const next = password ?? (given.password === undefined ? (stored?.password ?? null) : null);
      if (username === null && password === null) return null;
      if (username === null)
        issues.push({ path: paths.username, message: 'must be set together with its password' });
      if (next === null)
        issues.push({ path: paths.password, message: 'must be set together with its user name' });
      return { username: username ?? '', password: next ?? '' };
    };
    const { outgoing, incoming } = before.credentials;
    const next = {
      outgoing: credentials(
        outgoing,
        { username: body.username, password: body.password },
        { username: 'username', password: 'password' },
      ),
      incoming: credentials(
        incoming,
        { username: body.incomingUsername, password: body.incomingPassword },
        { username: 'incomingUsername', password: 'incomingPassword' },
      ),
    };
    if (issues.length > 0) throw invalidRequest('request body', issues);
    return {
      ...(body.enabled !== undefined && { enabled: body.enabled }),
      ...(body.proxy !== undefined && { proxy: body.proxy }),
      ...(body.outboundProxy !== undefined && { outbound_proxy: body.outboundProxy }),
      ...(body.from !== undefined && { default_from: body.from }),
      ...(body.numbers !== undefined && { numbers: body.numbers }),
      ...(body.allowedCidrRanges !== undefined && { allowed_cidr_ranges: body.allowedCidrRanges }),
      ...(body.codecs !== undefined && { codecs: body.codecs }),
      ...(body.maxCalls !== undefined && { max_calls: body.maxCalls }),
      credentials: JSON.stringify(next),
    };
  };

  api
    .list(listSipTrunks, (request) => ({
      source: sipTrunksOf(db, sipAccountOf(request)),
      item: sipTrunkView,
    }))
    .on(createSipTrunk, async (request) => {
      const accountId = sipAccountOf(request);
      const { name, ...body } = request.body;
      const trunk = {
        ...DEFAULTS,
        trunk_id: newId(),
        account_id: accountId,
        name,
        created_at: new Date(clock.wallMs()),
        ...changeOf(accountId, body, DEFAULTS),
      };
      const row = await insertSipTrunk(db, trunk, MAX_TRUNKS);
      if (!row) throw new HttpProblem(409, 'conflict', TOO_MANY);
      return sipTrunkView(row);
    })
    .on(getSipTrunk, async (request) => {
      const row = await findSipTrunk(db, sipAccountOf(request), request.params.trunk_id);
      return sipTrunkView(orNotFound('trunk', row));
    })
    .on(updateOperation, async (request) => {
      const accountId = sipAccountOf(request);
      const id = request.params.trunk_id;
      const { name, ...body } = request.body;
      const before = orNotFound('trunk', await findSipTrunk(db, accountId, id));
      const change = { ...(name !== undefined && { name }), ...changeOf(accountId, body, before) };
      return sipTrunkView(orNotFound('trunk', await updateSipTrunk(db, accountId, id, change)));
    })
    .on(deleteOperation, async (request) => {
      orNotFound('trunk', await deleteSipTrunk(db, sipAccountOf(request), request.params.trunk_id));
    });
}

function addressIssues(body: Omit<TrunkBody, 'name'>, hasSipTls: boolean): Issue[] {
  const issues = sipServerIssues(body, hasSipTls);
  for (const [i, range] of (body.allowedCidrRanges ?? []).entries()) {
    if (!isNetwork(range))
      issues.push({ path: `allowedCidrRanges.${i}`, message: 'must be a range of addresses' });
  }
  const { from } = body;
  if (from != null && !isSipHost(from) && sipUserOf(from) === null) {
    issues.push({
      path: 'from',
      message: 'must be a SIP address such as sip:desk@example.com, or its user alone',
    });
  }
  return issues;
}
