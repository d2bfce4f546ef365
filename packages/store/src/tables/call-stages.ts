import type { StageOverrides } from '@calls/api-contract/rest/call-settings';
import { MODEL_USAGE_EVENT } from '@calls/api-contract/bus/call-log-entry';
import { sql, type Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { CallStageTable } from '../schema/call-tables.ts';
import type { Database } from '../store.ts';
import { callToolRows, type NewCallTool } from './call-tools.ts';
import { hasBegun } from './stage-conditions.ts';

export type StoredStageRow = Selectable<CallStageTable>;

export type CallStageRow = StoredStageRow & {
  /** Errors of engines, tools and the call. */
  error_count: number;
  /** Input tokens of the model's first request in the stage; null if the model reported none. */
  initial_token_count: number | null;
  /** Input and output tokens of the model's latest request in the stage. */
  latest_token_count: number | null;
};

/** Token usage of each model request in the stage. */
const usageOfStage = sql`call_events
  where call_events.call_id = call_stages.call_id and call_events.stage_id = call_stages.stage_id
    and type = ${MODEL_USAGE_EVENT}`;

function stages(db: Database, callId: string) {
  return db
    .selectFrom('call_stages')
    .selectAll('call_stages')
    .select(
      sql<number>`(select count(*) from call_events where call_events.call_id = call_stages.call_id
        and call_events.stage_id = call_stages.stage_id
        and (severity = 'error' or type like '%\\_error' or type like '%\\_fault'))`.as('error_count'),
    )
    .select([
      sql<number | null>`(select (extras->>'inputTokens')::integer
        from ${usageOfStage} order by seq limit 1)`.as('initial_token_count'),
      sql<number | null>`(select (extras->>'inputTokens')::integer + (extras->>'outputTokens')::integer
        from ${usageOfStage} order by seq desc limit 1)`.as('latest_token_count'),
    ])
    .where('call_id', '=', callId)
    .where(hasBegun);
}

/** A stage that the call entered. */
export function findCallStage(
  db: Database,
  callId: string,
  stageId: string,
): Promise<CallStageRow | undefined> {
  return stages(db, callId).where('stage_id', '=', stageId).executeTakeFirst();
}

/** In the order in which they began. */
export function stagesOf(db: Database, callId: string): PageSource<CallStageRow> {
  return pagesOf(stages(db, callId), orderedBy('asc', 'stage_index'));
}

/** A stage, whether or not the call entered it. */
export function findStoredStage(
  db: Database,
  callId: string,
  stageId: string,
): Promise<StoredStageRow | undefined> {
  return db
    .selectFrom('call_stages')
    .selectAll()
    .where('call_id', '=', callId)
    .where('stage_id', '=', stageId)
    .executeTakeFirst();
}

export interface NewStageRow {
  accountId: string;
  callId: string;
  stageId: string;
  createdAt: Date;
  overrides: StageOverrides;
  initialMessageCount: number;
  tools: readonly NewCallTool[];
}

/**
 * Adds a stage to a live call, in the caller's transaction; an existing stage is not changed. Does nothing if
 * the call has ended, belongs to another account, or has `maxStages` stages.
 */
export async function insertStage(
  tx: Database,
  stage: NewStageRow,
  maxStages: number,
): Promise<'stored' | 'not_live' | 'too_many'> {
  const { accountId, callId, stageId } = stage;
  // The lock also serializes the stages of a call.
  const call = await tx
    .selectFrom('calls')
    .select('call_id')
    .where('call_id', '=', callId)
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!call) return 'not_live';
  if (await findStoredStage(tx, callId, stageId)) return 'stored';
  const { count } = await tx
    .selectFrom('call_stages')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('call_id', '=', callId)
    .executeTakeFirstOrThrow();
  if (count >= maxStages) return 'too_many';
  await tx
    .insertInto('call_stages')
    .values({
      stage_id: stageId,
      call_id: callId,
      stage_index: count,
      created_at: stage.createdAt,
      initial_message_count: stage.initialMessageCount,
      overrides: asJson(stage.overrides),
    })
    .execute();
  const tools = callToolRows({ accountId, callId, stageId }, stage.tools).map((row) => ({
    ...row,
    definition: asJson(row.definition),
  }));
  if (tools.length > 0) await tx.insertInto('call_tools').values(tools).execute();
  return 'stored';
}

/** Records that the call entered the stage, with its number of initial messages. */
export async function markStageBegun(
  db: Database,
  stage: { callId: string; stageId: string; at: Date; messageCount: number },
): Promise<void> {
  await db
    .updateTable('call_stages')
    .set({ began_at: stage.at, initial_message_count: stage.messageCount })
    .where('call_id', '=', stage.callId)
    .where('stage_id', '=', stage.stageId)
    .execute();
}
