import type { StartCallRequest } from '@calls/api-contract/rest/call';
import { isUuid } from '@calls/api-contract/validation/is-uuid';
import type { Fault } from '@calls/api-contract/validation/validator';
import type { Database } from '@calls/store/store';
import { lastStageMessages } from '@calls/store/tables/call-messages';
import {
  findCallThrottle,
  findCallThrottleByName,
  type CallThrottleRow,
} from '@calls/store/tables/call-throttles';
import { findCall, type CallRow } from '@calls/store/tables/calls';
import type { CallOrder } from './call-order.ts';
import { checkReferences, withoutFaults, type CheckParts, type References } from './check-references.ts';
import { inheritPriorCall } from './inherit-prior-call.ts';
import { invalidCall } from './refusal.ts';
import { requestFaults } from './request-faults.ts';
import { openSettings } from './secrets.ts';
import { telephonyFaults } from './telephony-faults.ts';
import { dataConnectionFaults } from './tools/data-connection-faults.ts';
import { urlFaults } from './url-rules.ts';

/** As many messages as a request may have. */
const MAX_HISTORY_MESSAGES = 1000;

/** An order without faults, and what it refers to. */
export interface CheckedOrder extends References {
  /** With what a prior call gives. */
  request: StartCallRequest;
  throttle: CallThrottleRow | null;
  prior: CallRow | null;
}

/** Throws a refusal that names all faults at once. */
export async function checkOrder(parts: CheckParts, order: CallOrder): Promise<CheckedOrder> {
  const faults: Fault[] = [];
  const prior = await findPrior(parts, order, faults);
  const request = prior ? await withPrior(parts, order, prior) : order.request;
  faults.push(...requestFaults(request), ...urlFaults(parts.outbound, request));
  const { accountId } = order.account;
  const [references, throttle, dialFaults] = await Promise.all([
    checkReferences(parts, accountId, request, order.isTemplate),
    findThrottle(parts.db, accountId, order.throttle),
    telephonyFaults(parts.db, accountId, request),
  ]);
  faults.push(...references.faults, ...dialFaults);
  if (references.tools && !order.isTemplate) {
    faults.push(...dataConnectionFaults(references.tools, request.dataConnection !== undefined));
  }
  if (throttle === undefined) {
    faults.push({ path: 'throttle', message: 'must be the id or the name of a call throttle' });
  }
  if (faults.length > 0 || throttle === undefined) throw invalidCall(faults);
  return { request, ...withoutFaults(references), throttle, prior };
}

async function findPrior(
  { db }: CheckParts,
  { account, priorCallId, request }: CallOrder,
  faults: Fault[],
): Promise<CallRow | null> {
  if (priorCallId === undefined) return null;
  if (request.initialMessages !== undefined) {
    const message = 'must not be set together with priorCallId, whose messages the call begins with';
    faults.push({ path: 'initialMessages', message });
  }
  const prior = await findCall(db, account.accountId, priorCallId);
  if (!prior) faults.push({ path: 'priorCallId', message: 'must be the id of a call of this account' });
  return prior ?? null;
}

async function withPrior(
  { db, secretBox }: CheckParts,
  { account, request }: CallOrder,
  prior: CallRow,
): Promise<StartCallRequest> {
  const settings = openSettings(secretBox, account.accountId, prior.settings);
  // Of its words nothing is kept.
  if (prior.retention_policy === 'zdr') return inheritPriorCall(request, settings, []);
  const said = await lastStageMessages(db, prior.call_id, MAX_HISTORY_MESSAGES);
  // A call that nobody joined has none but those it was to begin with.
  const history = said.length > 0 ? said : (settings.initialMessages ?? []);
  return inheritPriorCall(request, settings, history);
}

/** Null where none is named, undefined where there is none of this id or name. */
export async function findThrottle(
  db: Database,
  accountId: string,
  named: string | undefined,
): Promise<CallThrottleRow | null | undefined> {
  if (named === undefined) return null;
  const byId = isUuid(named) ? await findCallThrottle(db, accountId, named) : undefined;
  return byId ?? findCallThrottleByName(db, accountId, named);
}
