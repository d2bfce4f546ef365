import type { BaseToolDefinition, SelectedTool } from '@calls/api-contract/rest/tool';
import type { ToolSortOrder } from '@calls/api-contract/rest/tool-resource';
import { sql, type Selectable } from 'kysely';
import { asJson, asText } from '../as-json.ts';
import { orderedBy, pagesOf, type ListOrder, type PageSource } from '../keyset.ts';
import type { ToolTable } from '../schema/tool-tables.ts';
import { type Database, withSetUpLock } from '../store.ts';

export type ToolRow = Selectable<ToolTable>;

/** A tool that is available to every account. */
export interface PublicTool {
  toolId: string;
  name: string;
  definition: BaseToolDefinition;
}

/** Replaces the set of public tools. */
export async function replacePublicTools(
  db: Database,
  tools: readonly PublicTool[],
  now: Date,
): Promise<void> {
  await withSetUpLock(db, 'public tools', async (tx) => {
    const ids = tools.map(({ toolId }) => toolId);
    await tx
      .deleteFrom('tools')
      .where('account_id', 'is', null)
      .where(sql<boolean>`tool_id <> all(${ids}::uuid[])`)
      .execute();
    for (const { toolId, name, definition } of tools) {
      const values = { name, definition: asJson(definition) };
      await tx
        .insertInto('tools')
        .values({ tool_id: toolId, account_id: null, created_at: now, ...values })
        .onConflict((conflict) => conflict.column('tool_id').doUpdateSet(values))
        .execute();
    }
  });
}

function visibleTools(db: Database, accountId: string) {
  return db
    .selectFrom('tools')
    .selectAll()
    .where((eb) => eb.or([eb('account_id', '=', accountId), eb('account_id', 'is', null)]));
}

/** A tool that the account owns. */
function ofAccount(accountId: string, toolId: string) {
  return { account_id: accountId, tool_id: toolId };
}

const newestFirst = orderedBy('desc', 'created_at', 'tool_id');

const ORDERS: Readonly<Record<ToolSortOrder, ListOrder<ToolRow>>> = {
  default: newestFirst,
  reverseChronologic: newestFirst,
  chronologic: orderedBy('asc', 'created_at', 'tool_id'),
  alphabetic: orderedBy('asc', 'name_key', 'tool_id'),
  reverseAlphabetic: orderedBy('desc', 'name_key', 'tool_id'),
  // Sorts the account's own tools before public ones.
  display: {
    by: [sql`(account_id is null)::int`, 'name_key', 'tool_id'],
    direction: 'asc',
    keyOf: (row) => [row.account_id === null ? 1 : 0, row.name_key, row.tool_id],
  },
};

export interface ToolFilter {
  ownership: 'private' | 'public' | null;
  /** A part of the name, ignoring case. */
  search: string | null;
  order: ToolSortOrder;
}

/** The account's own tools and the public ones. */
export function toolsOf(db: Database, accountId: string, filter: ToolFilter): PageSource<ToolRow> {
  let query = visibleTools(db, accountId);
  if (filter.ownership === 'private') query = query.where('account_id', 'is not', null);
  if (filter.ownership === 'public') query = query.where('account_id', 'is', null);
  if (filter.search !== null) {
    const part = asText(filter.search);
    query = query.where(sql<boolean>`strpos(name_key, lower(${part})) > 0`);
  }
  return pagesOf(query, ORDERS[filter.order]);
}

export function findTool(db: Database, accountId: string, toolId: string): Promise<ToolRow | undefined> {
  return visibleTools(db, accountId).where('tool_id', '=', toolId).executeTakeFirst();
}

/** How agents of the account can select a tool: by its id, and by its name unless this means a tool of the account. */
export async function selectionsOf(db: Database, accountId: string, toolId: string): Promise<SelectedTool[]> {
  const tool = await findTool(db, accountId, toolId);
  if (!tool) return [{ toolId }];
  const named = await findToolsByIdOrName(db, accountId, { ids: [], names: [tool.name] });
  const isHidden = tool.account_id === null && named.some(({ account_id }) => account_id !== null);
  return isHidden ? [{ toolId }] : [{ toolId }, { toolName: tool.name }];
}

/** All tools with one of these ids or names. */
export function findToolsByIdOrName(
  db: Database,
  accountId: string,
  named: { ids: readonly string[]; names: readonly string[] },
): Promise<ToolRow[]> {
  return visibleTools(db, accountId)
    .where(
      sql<boolean>`(tool_id = any(${[...named.ids]}::uuid[]) or name = any(${[...named.names]}::text[]))`,
    )
    .execute();
}

/** Throws a unique violation if the account has a tool of this name. */
export function insertTool(
  db: Database,
  tool: { toolId: string; accountId: string; name: string; definition: BaseToolDefinition; createdAt: Date },
): Promise<ToolRow> {
  return db
    .insertInto('tools')
    .values({
      tool_id: tool.toolId,
      account_id: tool.accountId,
      name: tool.name,
      definition: asJson(tool.definition),
      created_at: tool.createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Undefined if the account has no such tool. Throws a unique violation if another one has the name. */
export function updateTool(
  db: Database,
  accountId: string,
  toolId: string,
  to: { name: string; definition: BaseToolDefinition },
): Promise<ToolRow | undefined> {
  return db
    .updateTable('tools')
    .set({ name: to.name, definition: asJson(to.definition) })
    .where((eb) => eb.and(ofAccount(accountId, toolId)))
    .returningAll()
    .executeTakeFirst();
}

/** Calls retain their copies of the tool. */
export async function deleteTool(db: Database, accountId: string, toolId: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('tools')
    .where((eb) => eb.and(ofAccount(accountId, toolId)))
    .returning('tool_id')
    .executeTakeFirst();
  return deleted !== undefined;
}
