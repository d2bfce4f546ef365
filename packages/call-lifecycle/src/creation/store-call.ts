import type { AdmissionClass, CreatedCall } from '@calls/api-contract/bus/created-call';
import { durationToMs, msToDuration } from '@calls/api-contract/duration';
import type { CallSettings } from '@calls/api-contract/rest/call-settings';
import { newId } from '@calls/foundation/ids';
import { currentTraceparent } from '@calls/foundation/trace-context';
import type { PlanLimits } from '@calls/api-contract/rest/plan-limits';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import type { CallRow } from '@calls/store/tables/calls';
import { lockLiveUse } from '@calls/store/tables/live-use';
import { insertCall, type FirstEvent } from '@calls/store/tables/new-call';
import type { SipTrunkRow } from '@calls/store/tables/sip-trunks';
import type { WebhookSubscriber } from '@calls/store/tables/webhook-deliveries';
import type { CallNotifications } from '../notifications/call-notifications.ts';
import { buildCallSpec } from './build-call-spec.ts';
import { admit, isCapped, type AdmittedCall } from './caps.ts';
import { voiceAliasNote } from './choose-voice.ts';
import type { CallAgent, CreateCallRequest } from './create-call-request.ts';
import type { OfferedMedium } from './offered-medium.ts';
import { sealMessage, sealSettings } from './secrets.ts';
import { toolRows } from './tool-rows.ts';
import { assertTrunkHasRoom, throughTrunk } from './sip-trunk.ts';
import type { ValidatedCallRequest } from './validate-call-request.ts';

const MAX_NAMED = 10;
const MAX_NAME_CHARACTERS = 64;

export interface CallToStore {
  request: CreateCallRequest;
  checked: ValidatedCallRequest;
  agent: CallAgent | null;
  settings: CallSettings;
  medium: OfferedMedium;
  limits: PlanLimits;
  /** Subscribers to the start of the call. */
  subscribers: readonly WebhookSubscriber[];
  createdAtMs: number;
  /** How long the relay leaves the outbox row to the writer. */
  outboxDelayMs: number;
}

export interface StoreDeps {
  db: Database;
  secretBox: SecretBox;
  notifications: CallNotifications;
}

export interface StoredCall {
  row: CallRow;
  message: CreatedCall;
  /** Null if the message is not published. */
  outboxId: string | null;
}

/**
 * Writes the call, the message about it and the notifications of its start. Caps on live calls are checked in the same
 * transaction, under a lock of the account; accounts without caps take no lock.
 */
export function storeCall(
  { db, secretBox: box, notifications }: StoreDeps,
  call: CallToStore,
): Promise<StoredCall> {
  const { settings, request } = call;
  // Calls from the console use no free time.
  const limits = request.fromConsole ? { ...call.limits, freeMinutes: null } : call.limits;
  const { inTransaction } = request;
  const admissionClass: AdmissionClass = settings.admissionPreference ?? 'standard';
  const maxDurationMs = durationToMs(settings.maxDuration);
  const asked = { admissionClass, maxDurationMs };
  const trunkId = call.checked.trunk?.trunk_id ?? request.invite?.trunk?.trunkId;
  const capped = isCapped(limits, admissionClass);
  const uncapped = { maxDurationMs, freeSecondsReserved: null };
  if (!capped && !inTransaction && trunkId === undefined && call.subscribers.length === 0)
    return write(db, box, call, admissionClass, uncapped);
  return db.transaction().execute(async (tx) => {
    const admitted = capped
      ? admit(await lockLiveUse(tx, request.account.accountId), limits, asked)
      : uncapped;
    const stored = await write(tx, box, call, admissionClass, admitted);
    if (trunkId !== undefined) await assertTrunkHasRoom(tx, trunkId, stored.row.call_id);
    await notifications.started(tx, stored.row, call.subscribers);
    await inTransaction?.(tx, stored.row.call_id);
    return stored;
  });
}

async function write(
  db: Database,
  box: SecretBox,
  call: CallToStore,
  admissionClass: AdmissionClass,
  admitted: AdmittedCall,
): Promise<StoredCall> {
  const { request, checked, createdAtMs } = call;
  const { prior, throttle, tools, voice, trunk } = checked;
  const { accountId } = request.account;
  const isCut = admitted.maxDurationMs < durationToMs(call.settings.maxDuration);
  const settings = isCut
    ? { ...call.settings, maxDuration: msToDuration(admitted.maxDurationMs) }
    : call.settings;
  const { invite } = request;
  const ids = { callId: invite?.callId ?? newId(), accountId, firstStageId: newId() };
  const trace = currentTraceparent();
  const message: CreatedCall = {
    admissionClass,
    ...(trace !== undefined && { trace }),
    spec: buildCallSpec({
      ...ids,
      createdAtMs,
      settings,
      medium: trunk ? mediumThrough(box, call.medium, trunk) : call.medium,
      invite,
      voice: voice.selection,
      tools,
      greetingPromptEnabled: request.greetingPromptEnabled,
    }),
  };
  const outboxId = invite ? null : newId();
  const row = await insertCall(db, {
    ...ids,
    createdAt: new Date(createdAtMs),
    expiresAt: new Date(createdAtMs + durationToMs(settings.joinTimeout)),
    voiceId: voice.voiceId,
    settings: sealSettings(box, accountId, settings),
    tools: toolRows(box, accountId, tools),
    notes: [voiceAliasNote(voice.byAlias), experimentalSettingsNote(settings)].flatMap((note) => note ?? []),
    admissionClass,
    freeSecondsReserved: admitted.freeSecondsReserved,
    agent: call.agent,
    // The addresses of a call by SIP are content.
    requestContext: invite && settings.retentionPolicy === 'zdr' ? null : (request.requestContext ?? null),
    throttleId: throttle?.throttle_id ?? null,
    priorCallId: prior?.call_id ?? null,
    scheduledBatchId: request.scheduledBatchId ?? null,
    fromConsole: request.fromConsole ?? false,
    outbox:
      outboxId === null
        ? null
        : { outboxId, delayMs: call.outboxDelayMs, message: sealMessage(box, message) },
  });
  return { row, message, outboxId };
}

function mediumThrough(box: SecretBox, medium: OfferedMedium, trunk: SipTrunkRow): OfferedMedium {
  if (medium.kind !== 'sip' || !medium.given.outgoing) return medium;
  const { outboundProxy, ...outgoing } = throughTrunk(box, medium.given.outgoing, trunk);
  return { kind: 'sip', given: { ...medium.given, outgoing }, outboundProxy, codecs: trunk.codecs };
}

/** The call event that names experimental settings without effect (at present all of them); null if the call has none. */
function experimentalSettingsNote({
  experimentalSettings = {},
}: Pick<CallSettings, 'experimentalSettings'>): FirstEvent | null {
  const names = Object.keys(experimentalSettings);
  if (names.length === 0) return null;
  const shown = names.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_NAME_CHARACTERS).toWellFormed());
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return {
    severity: 'warning',
    type: 'experimental_settings_ignored',
    text: `experimentalSettings has no effect for: ${shown.join(', ')}${more}. This service has no such settings.`,
    extras: { settings: shown },
  };
}
