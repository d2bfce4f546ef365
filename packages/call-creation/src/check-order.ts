import { isUuid, type Fault, type StartCallRequest } from '@calls/api-contract';
import type { SecretBox } from '@calls/secret-box';
import {
  findCall,
  findCallThrottle,
  findCallThrottleByName,
  lastStageMessages,
  type CallRow,
  type CallThrottleRow,
  type Database,
} from '@calls/store';
import type { CallOrder } from './call-order.ts';
import { chooseVoice, type ChosenVoice } from './choose-voice.ts';
import { inheritPriorCall } from './inherit-prior-call.ts';
import { CallRefusal, invalidCall } from './refusal.ts';
import { requestFaults } from './request-faults.ts';
import { openSettings } from './secrets.ts';
import { telephonyFaults } from './telephony-faults.ts';
import { resolveTools, type ResolvedTool } from './tools/index.ts';
import { urlFaults, urlRefusal, type UrlGuard } from './url-rules.ts';

/** As many messages as a request may have. */
const MAX_HISTORY_MESSAGES = 1000;

export interface CheckParts {
  db: Database;
  secretBox: SecretBox;
  models: readonly string[];
  outbound: UrlGuard;
}

/** An order without faults, and what it refers to. */
export interface CheckedOrder {
  /** With what a prior call gives. */
  request: StartCallRequest;
  voice: ChosenVoice;
  tools: readonly ResolvedTool[];
  throttle: CallThrottleRow | null;
  prior: CallRow | null;
}

/** Throws a refusal that names all faults at once. */
export async function checkOrder(parts: CheckParts, order: CallOrder): Promise<CheckedOrder> {
  const faults: Fault[] = [];
  const prior = await findPrior(parts, order, faults);
  const request = prior ? await withPrior(parts, order, prior) : order.request;
  faults.push(...requestFaults(request), ...urlFaults(parts.outbound, request));
  if (request.model !== undefined && !parts.models.includes(request.model)) {
    faults.push({ path: 'model', message: `must be one of ${parts.models.join(', ')}` });
  }
  const { accountId } = order.account;
  const [voice, throttle, { tools, faults: toolFaults }, dialFaults] = await Promise.all([
    chooseVoice(parts, accountId, request),
    findThrottle(parts.db, accountId, order.throttle),
    resolveTools(parts.db, {
      accountId,
      selectedTools: request.selectedTools ?? [],
      path: 'selectedTools',
      urlRule: ({ href }) => urlRefusal(parts.outbound, href),
    }),
    telephonyFaults(parts.db, accountId, request),
  ]);
  faults.push(...toolFaults, ...dialFaults);
  if (throttle === undefined) {
    faults.push({ path: 'throttle', message: 'must be the id or the name of a call throttle' });
  }
  if (voice && 'path' in voice) faults.push(voice);
  if (faults.length > 0 || throttle === undefined || (voice && 'path' in voice) || !tools) {
    throw invalidCall(faults);
  }
  if (!voice) {
    const detail = 'The catalogue of voices is empty; prepare the database first.';
    throw new CallRefusal('impossible', 'no_voice', detail);
  }
  return { request, voice, tools, throttle, prior };
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
