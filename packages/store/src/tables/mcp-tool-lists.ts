import type { Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import type { McpServerTool, McpToolListTable } from '../schema/tool-tables.ts';
import type { Database } from '../store.ts';

export type McpToolListRow = Pick<Selectable<McpToolListTable>, 'tools' | 'fetched_at'>;

/** An account's lists beyond this number are deleted, the oldest first. */
const MAX_LISTS = 200;

export function findMcpToolList(
  db: Database,
  accountId: string,
  serverKey: string,
): Promise<McpToolListRow | undefined> {
  return db
    .selectFrom('mcp_tool_lists')
    .select(['tools', 'fetched_at'])
    .where('account_id', '=', accountId)
    .where('server_key', '=', serverKey)
    .executeTakeFirst();
}

export async function saveMcpToolList(
  db: Database,
  list: { accountId: string; serverKey: string; tools: readonly McpServerTool[]; fetchedAt: Date },
): Promise<void> {
  const { accountId, serverKey, fetchedAt } = list;
  const values = { tools: asJson(list.tools), fetched_at: fetchedAt };
  await db
    .insertInto('mcp_tool_lists')
    .values({ account_id: accountId, server_key: serverKey, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'server_key']).doUpdateSet(values))
    .execute();
  await db
    .deleteFrom('mcp_tool_lists')
    .where('account_id', '=', accountId)
    .where('server_key', 'in', (eb) =>
      eb
        .selectFrom('mcp_tool_lists')
        .select('server_key')
        .where('account_id', '=', accountId)
        .orderBy('fetched_at', 'desc')
        .offset(MAX_LISTS),
    )
    .execute();
}
