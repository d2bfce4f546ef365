import type { StartCallRequest } from '@calls/api-contract/rest/call';
import { isUuid } from '@calls/foundation/schema/objects';
import type { Issue } from '@calls/foundation/schema/validator';
import type { Database } from '@calls/store/store';
import { lastStageMessages } from '@calls/store/tables/call-messages';
import {
  findCallThrottle,
  findCallThrottleByName,
  type CallThrottleRow,
} from '@calls/store/tables/call-throttles';
import { findCall, type CallRow } from '@calls/store/tables/calls';
import type { SipTrunkRow } from '@calls/store/tables/sip-trunks';
import { analysisIssues } from './analysis-issues.ts';
import { checkReferences, assertNoIssues, type ValidationDeps, type References } from './check-references.ts';
import type { CreateCallRequest } from './create-call-request.ts';
import { inheritPriorCall } from './inherit-prior-call.ts';
import { invalidCall } from './refusal.ts';
import { outgoingSettingIssues, requestIssues, sipTlsIssues } from './request-issues.ts';
import { openSettings } from './secrets.ts';
import { trunkOf } from './sip-trunk.ts';
import { telephonyIssues } from './telephony-issues.ts';
import { urlIssues } from './url-rules.ts';

/** The limit for `initialMessages` of a request. */
const MAX_HISTORY_MESSAGES = 1000;

/** A request without issues, with the objects that it refers to. */
export interface ValidatedCallRequest extends References {
  /** Includes the settings of the prior call. */
  body: StartCallRequest;
  throttle: CallThrottleRow | null;
  prior: CallRow | null;
  /** The SIP trunk that the call is placed through. */
  trunk: SipTrunkRow | null;
}

/** Throws a CallRefusal with all issues at once. */
export async function validateCallRequest(
  deps: ValidationDeps & {
    /** Whether media-workers make SIP calls over TLS. */
    hasSipTls: boolean;
  },
  request: CreateCallRequest,
): Promise<ValidatedCallRequest> {
  const issues: Issue[] = [];
  const prior = await findPrior(deps, request, issues);
  const body = prior ? await withPrior(deps, request, prior) : request.body;
  issues.push(
    ...requestIssues(body),
    ...(request.isTemplate ? [] : outgoingSettingIssues(body)),
    ...sipTlsIssues(body, deps.hasSipTls),
    ...urlIssues(deps.outbound, body),
  );
  const { accountId } = request.account;
  const [references, throttle, dialIssues, { trunk, issues: trunkIssues }, analysis] = await Promise.all([
    checkReferences(deps, accountId, body, request.isTemplate),
    findThrottle(deps.db, accountId, request.throttle),
    telephonyIssues(deps.db, accountId, body),
    trunkOf(deps, accountId, body),
    analysisIssues(body.analysisSettings, deps.checksOf(accountId)),
  ]);
  issues.push(...references.issues, ...dialIssues, ...trunkIssues, ...analysis);
  if (throttle === undefined) {
    issues.push({ path: 'throttle', message: 'must be the id or the name of a call throttle' });
  }
  if (issues.length > 0 || throttle === undefined) throw invalidCall(issues);
  return { body, ...assertNoIssues(references), throttle, prior, trunk };
}

async function findPrior(
  { db }: ValidationDeps,
  { account, priorCallId, body }: CreateCallRequest,
  issues: Issue[],
): Promise<CallRow | null> {
  if (priorCallId === undefined) return null;
  if (body.initialMessages !== undefined) {
    const message = 'must not be set together with priorCallId, which provides the messages';
    issues.push({ path: 'initialMessages', message });
  }
  const prior = await findCall(db, account.accountId, priorCallId);
  if (!prior) issues.push({ path: 'priorCallId', message: 'must be the id of a call of this account' });
  return prior ?? null;
}

async function withPrior(
  { db, secretBox }: ValidationDeps,
  { account, body }: CreateCallRequest,
  prior: CallRow,
): Promise<StartCallRequest> {
  const settings = openSettings(secretBox, account.accountId, prior.settings);
  // Its messages are not stored.
  if (prior.retention_policy === 'zdr') return inheritPriorCall(body, settings, []);
  const said = await lastStageMessages(db, prior.call_id, MAX_HISTORY_MESSAGES);
  // A call that was never joined only has its initial messages.
  const history = said.length > 0 ? said : (settings.initialMessages ?? []);
  return inheritPriorCall(body, settings, history);
}

/** Null if none is requested, undefined if none has this id or name. */
export async function findThrottle(
  db: Database,
  accountId: string,
  named: string | undefined,
): Promise<CallThrottleRow | null | undefined> {
  if (named === undefined) return null;
  const byId = isUuid(named) ? await findCallThrottle(db, accountId, named) : undefined;
  return byId ?? findCallThrottleByName(db, accountId, named);
}
