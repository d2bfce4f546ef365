import type { AdmissionClass, CreatedCall } from '@calls/api-contract/bus/created-call';
import { durationToMs, msToDuration } from '@calls/api-contract/duration';
import type { CallSettings } from '@calls/api-contract/rest/call-settings';
import { Batches } from '@calls/foundation/batches';
import { newId } from '@calls/foundation/ids';
import { currentTraceparent } from '@calls/foundation/trace-context';
import type { PlanLimits } from '@calls/api-contract/rest/plan-limits';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import type { CallRow } from '@calls/store/tables/calls';
import { lockLiveUse } from '@calls/store/tables/live-use';
import {
  insertCalls,
  insertUnnotifiedCalls,
  type FirstEvent,
  type NewCall,
} from '@calls/store/tables/new-call';
import type { SipTrunkRow } from '@calls/store/tables/sip-trunks';
import { isStoreUnavailable } from '@calls/store/store-error';
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
  createdAtMs: number;
  /** How long the relay leaves the outbox row to the writer. */
  outboxDelayMs: number;
}

export interface StoreDeps {
  db: Database;
  secretBox: SecretBox;
  notifications: CallNotifications;
  /** Inserts calls that need no transaction; null for those that need one. */
  inserts: CallInserts;
}

export type CallInserts = Batches<NewCall, CallRow | null>;

/** Calls that are created at the same time share a statement and a commit. */
export function createCallInserts(db: Database): CallInserts {
  return new Batches({
    run: (calls) => insertUnnotifiedCalls(db, calls),
    concurrency: 2,
    maxItems: 50,
    capacity: 10_000,
    isOfOne: (thrown) => !isStoreUnavailable(thrown),
  });
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
export async function storeCall(
  { db, secretBox: box, notifications, inserts }: StoreDeps,
  call: CallToStore,
): Promise<StoredCall> {
  const { settings, request } = call;
  // Calls from the console use no free time.
  const limits = request.fromConsole ? { ...call.limits, freeMinutes: null } : call.limits;
  const { inTransaction } = request;
  const { accountId } = request.account;
  const admissionClass: AdmissionClass = settings.admissionPreference ?? 'standard';
  const maxDurationMs = durationToMs(settings.maxDuration);
  const requested = { admissionClass, maxDurationMs };
  const trunkId = call.checked.trunk?.trunk_id ?? request.invite?.trunk?.trunkId;
  const capped = isCapped(limits, admissionClass);
  const uncapped = { maxDurationMs, freeSecondsReserved: null };
  if (!capped && !inTransaction && trunkId === undefined) {
    const { inserted, ...stored } = newCall(box, call, admissionClass, uncapped);
    const row = await inserts.add(inserted);
    if (row) return { ...stored, row };
  }
  return db.transaction().execute(async (tx) => {
    const admitted = capped ? admit(await lockLiveUse(tx, accountId), limits, requested) : uncapped;
    const { inserted, ...stored } = newCall(box, call, admissionClass, admitted);
    const [row] = await insertCalls(tx, [inserted]);
    if (!row) throw new Error('an inserted call has a row');
    if (trunkId !== undefined) await assertTrunkHasRoom(tx, trunkId, row.call_id);
    await notifications.started(tx, row);
    await inTransaction?.(tx, row.call_id);
    return { ...stored, row };
  });
}

function newCall(
  box: SecretBox,
  call: CallToStore,
  admissionClass: AdmissionClass,
  admitted: AdmittedCall,
): Omit<StoredCall, 'row'> & { inserted: NewCall } {
  const { request, checked, createdAtMs } = call;
  const { prior, throttle, tools, voice, trunk } = checked;
  const { accountId } = request.account;
  const isCut = admitted.maxDurationMs < durationToMs(call.settings.maxDuration);
  const settings = isCut
    ? { ...call.settings, maxDuration: msToDuration(admitted.maxDurationMs) }
    : call.settings;
  const { invite } = request;
  const ids = { callId: request.callId ?? newId(), accountId, firstStageId: newId() };
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
  const inserted: NewCall = {
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
    requestDigest: request.requestDigest ?? null,
    outbox:
      outboxId === null
        ? null
        : { outboxId, delayMs: call.outboxDelayMs, message: sealMessage(box, message) },
  };
  return { inserted, message, outboxId };
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
