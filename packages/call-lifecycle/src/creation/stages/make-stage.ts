import type { StageReplyMessage, StageRequestMessage } from '@calls/api-contract/bus/live-calls';
import type { StageSpec } from '@calls/api-contract/call-spec';
import type { CallSettings, StageOverrides } from '@calls/api-contract/rest/call-settings';
import type { Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import { omit } from '@calls/foundation/omit';
import { MAX_ISSUES, type Issue } from '@calls/foundation/schema/validator';
import { findStoredStage, insertStage } from '@calls/store/tables/call-stages';
import { findCall, type CallRow } from '@calls/store/tables/calls';
import { buildStageSpec } from '../build-call-spec.ts';
import { checkReferences, assertNoIssues, type ValidationDeps } from '../check-references.ts';
import { openSettings, openWords, sealOverrides } from '../secrets.ts';
import { toolRows, toolsOfStage } from '../tool-rows.ts';
import { newStage, newStageIssues } from './new-stage-issues.ts';
import { overridesOf, stageSettings } from './stage-settings.ts';

/** More than conversations need, and few enough for each stage to carry the history. */
const MAX_STAGES = 200;
const TOO_MANY: Issue = {
  path: '',
  message: `would be one too many: a call has at most ${MAX_STAGES} stages`,
};

export interface StageDeps extends ValidationDeps {
  clock: Clock;
}

/**
 * Creates a stage from the response of a tool; settings that it does not set are those of the previous stage. Idempotent by stage
 * id: returns the stored stage. Throws an AppError if the call cannot have a new stage at all.
 */
export async function makeStage(deps: StageDeps, request: StageRequestMessage): Promise<StageReplyMessage> {
  const { db, secretBox } = deps;
  const { accountId, callId, stageId } = request;
  const call = await findCall(db, accountId, callId);
  if (!call || call.ended_at) throw notLive();
  const settings = openSettings(secretBox, accountId, call.settings);
  if (!(await findStoredStage(db, callId, stageId))) {
    const issues = await addStage(deps, request, call, settings);
    if (issues.length > 0) return { faults: issues.slice(0, MAX_ISSUES) };
  }
  return { stage: await storedStage(deps, request, call, settings) };
}

/** Returns the issues of the body, or stores the stage if there are none. */
async function addStage(
  deps: StageDeps,
  { accountId, callId, stageId, currentStageId, body, carriedMessages }: StageRequestMessage,
  row: CallRow,
  call: CallSettings,
): Promise<readonly Issue[]> {
  const { db, secretBox } = deps;
  const current = await findOverrides(deps, row, currentStageId);
  const issues = newStageIssues(deps.outbound, stageSettings(call, current), body);
  if (issues.length > 0) return issues;
  const named = newStage.parse(body);
  const overrides = overridesOf(call, current, named);
  const { selectedTools } = named;
  const references = await checkReferences(deps, accountId, {
    ...stageSettings(call, overrides),
    selectedTools: selectedTools ?? [],
    ...(call.dataConnection && { dataConnection: call.dataConnection }),
  });
  if (references.issues.length > 0) return references.issues;
  const tools = selectedTools
    ? assertNoIssues(references).tools
    : await toolsOfStage(deps, { accountId, callId, stageId: currentStageId });
  const stage = {
    accountId,
    callId,
    stageId,
    createdAt: new Date(deps.clock.wallMs()),
    overrides: sealOverrides(secretBox, row, overrides),
    initialMessageCount: named.initialMessages?.length ?? carriedMessages,
    tools: toolRows(secretBox, accountId, tools),
  };
  const result = await db.transaction().execute((tx) => insertStage(tx, stage, MAX_STAGES));
  if (result === 'not_live') throw notLive();
  return result === 'stored' ? [] : [TOO_MANY];
}

/** Includes the initial messages of the body, which are stored as messages of the call when the stage begins. */
async function storedStage(
  deps: StageDeps,
  { accountId, callId, stageId, body }: StageRequestMessage,
  row: CallRow,
  call: CallSettings,
): Promise<StageSpec> {
  const place = { accountId, callId, stageId };
  const [overrides, tools] = await Promise.all([
    findOverrides(deps, row, stageId),
    toolsOfStage(deps, place),
  ]);
  const settings = omit(stageSettings(call, overrides), 'selectedTools');
  const { initialMessages = [] } = newStage.parse(body);
  const { voice } = assertNoIssues(await checkReferences(deps, accountId, settings));
  return buildStageSpec({
    stageId,
    settings: { ...settings, initialMessages },
    voice: voice.selection,
    tools,
  });
}

async function findOverrides(
  { db, secretBox }: StageDeps,
  call: CallRow,
  stageId: string,
): Promise<StageOverrides> {
  const stage = await findStoredStage(db, call.call_id, stageId);
  if (!stage) throw new AppError('no_such_stage', `the call has no stage ${stageId}`);
  return openSettings(secretBox, call.account_id, openWords(secretBox, call, stage.overrides));
}

function notLive(): AppError {
  return new AppError('call_not_live', 'the call does not exist or has ended');
}
