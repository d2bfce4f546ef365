import type { CallToolDefinition } from '@calls/api-contract/rest/tool';
import { sql, type Selectable } from 'kysely';
import { orderedBy, pagesOf, type PageSource, type PageTable } from '../keyset.ts';
import type { CallToolTable } from '../schema/tool-tables.ts';
import type { Database } from '../store.ts';
import { filteredCalls } from './call-facts.ts';
import type { CallRow } from './calls.ts';
import { hasBegun, isInCall } from './stage-conditions.ts';

export type CallToolRow = Selectable<CallToolTable>;

/** A tool of a stage to store. */
export interface NewCallTool {
  callToolId: string;
  toolId: string | null;
  name: string;
  definition: CallToolDefinition;
  sealedAuth: string | null;
}

/** The rows of a stage's tools, in order. */
export function callToolRows(
  stage: { accountId: string; callId: string; stageId: string },
  tools: readonly NewCallTool[],
): CallToolRow[] {
  return tools.map((tool, index) => ({
    call_tool_id: tool.callToolId,
    account_id: stage.accountId,
    call_id: stage.callId,
    stage_id: stage.stageId,
    tool_index: index,
    tool_id: tool.toolId,
    name: tool.name,
    definition: tool.definition,
    sealed_auth: tool.sealedAuth,
  }));
}

/** In order, with the sealed credentials of their requests. */
export function storedToolsOf(
  db: Database,
  stage: { callId: string; stageId: string },
): Promise<Pick<CallToolRow, 'tool_id' | 'name' | 'definition' | 'sealed_auth'>[]> {
  return db
    .selectFrom('call_tools')
    .select(['tool_id', 'name', 'definition', 'sealed_auth'])
    .where('call_id', '=', stage.callId)
    .where('stage_id', '=', stage.stageId)
    .orderBy('tool_index')
    .execute();
}

/** In the order of the stages that began, then of selection. `stageId` null: all stages. */
export function listCallTools(
  db: Database,
  callId: string,
  stageId: string | null,
): Promise<Omit<CallToolRow, 'sealed_auth'>[]> {
  return db
    .selectFrom('call_tools')
    .innerJoin('call_stages', 'call_stages.stage_id', 'call_tools.stage_id')
    .select([
      'call_tool_id',
      'account_id',
      'call_tools.call_id',
      'call_tools.stage_id',
      'tool_index',
      'tool_id',
      'name',
      'definition',
    ])
    .where('call_tools.call_id', '=', callId)
    .where(hasBegun)
    .$if(stageId !== null, (query) => query.where('call_tools.stage_id', '=', stageId))
    .orderBy('stage_index')
    .orderBy('tool_index')
    .execute();
}

export type ToolHistoryRow = CallRow & { tool_error_count: number };

/** The account's calls that had the tool, newest first, with the number of its failed results. */
export function toolHistoryOf(db: Database, accountId: string, toolId: string): PageSource<ToolHistoryRow> {
  const errorCount = sql<number>`(
    select count(*) from call_messages
    where call_messages.call_id = calls.call_id
      and role = 'MESSAGE_ROLE_TOOL_RESULT' and coalesce(message->>'errorDetails', '') <> ''
      and exists (
        select from call_tools
        where call_tools.account_id = ${accountId} and call_tools.tool_id = ${toolId}
          and call_tools.call_id = calls.call_id and call_tools.stage_id = call_messages.stage_id
          and name = message->>'toolName'
      )
      and ${isInCall}
  )`;
  const query = filteredCalls(db, accountId, {}, 'active')
    .select('call_id')
    .where((eb) =>
      eb(
        'call_id',
        'in',
        eb
          .selectFrom('call_tools')
          .select('call_tools.call_id')
          .where('call_tools.account_id', '=', accountId)
          .where('tool_id', '=', toolId),
      ),
    );
  const rowsOf = (page: PageTable) =>
    db
      .selectFrom(page)
      .innerJoin('calls', 'calls.call_id', 'page.call_id')
      .selectAll('calls')
      .select(errorCount.as('tool_error_count'));
  return {
    ...pagesOf(query, orderedBy('desc', 'created_at', 'call_id'), rowsOf),
    // Uses only the index, because a call is deleted together with its tools.
    async count() {
      const counted = await db
        .selectFrom('call_tools')
        .select((eb) => eb.fn.count<number>('call_id').distinct().as('total'))
        .where('account_id', '=', accountId)
        .where('tool_id', '=', toolId)
        .executeTakeFirstOrThrow();
      return counted.total;
    },
  };
}
