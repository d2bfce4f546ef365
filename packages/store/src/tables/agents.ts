import type { AgentSort } from '@calls/api-contract/rest/agent';
import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import type { SelectedTool } from '@calls/api-contract/rest/tool';
import { sql, type Selectable } from 'kysely';
import { asJson, asText } from '../as-json.ts';
import { orderedBy, pagesOf, type ListOrder, type PageSource } from '../keyset.ts';
import type { AgentTable } from '../schema/agent-tables.ts';
import type { Database } from '../store.ts';

/** An agent with its published revision, which is null if it has no template. */
export interface AgentRow extends Pick<
  Selectable<AgentTable>,
  'agent_id' | 'name' | 'created_at' | 'published_revision_id' | 'tests_required'
> {
  /** Secrets encrypted. */
  template: CallTemplate | null;
  template_created_at: Date | null;
  template_updated_at: Date | null;
}

/** `calls`: number of its calls that are not deleted. */
export type CountedAgentRow = AgentRow & { calls: number };

/** `name_key`: the name in lower case, by which lists are ordered. */
type ListedAgentRow = CountedAgentRow & { name_key: string };

/** The account's agents that are not deleted. */
function ofAccount(db: Database, accountId: string) {
  return db
    .selectFrom('agents')
    .leftJoin('agent_revisions', 'revision_id', 'published_revision_id')
    .select(['agents.agent_id', 'name', 'agents.created_at', 'published_revision_id', 'template'])
    .select('tests_required')
    .select(['template_created_at', 'agent_revisions.created_at as template_updated_at'])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null);
}

function countedOfAccount(db: Database, accountId: string) {
  return ofAccount(db, accountId).select(
    sql<number>`(select count(*) from call_facts where call_facts.account_id = agents.account_id
      and call_facts.agent_id = agents.agent_id and call_facts.deleted_at is null)`.as('calls'),
  );
}

const byName = (direction: 'asc' | 'desc'): ListOrder<ListedAgentRow> => ({
  by: [sql`lower(name)`, 'agents.agent_id'],
  direction,
  keyOf: (row) => [row.name_key, row.agent_id],
});

const ORDERS: Readonly<Record<AgentSort, ListOrder<ListedAgentRow>>> = {
  '-created': orderedBy('desc', 'agents.created_at', 'agents.agent_id'),
  created: orderedBy('asc', 'agents.created_at', 'agents.agent_id'),
  name: byName('asc'),
  '-name': byName('desc'),
};

export function agentsOf(
  db: Database,
  accountId: string,
  filter: {
    /** Part of the name, case-insensitive. */
    search: string | null;
    sort: AgentSort;
    /** Only agents that select a tool in one of these ways. */
    selecting: readonly SelectedTool[] | null;
  },
): PageSource<CountedAgentRow> {
  let query = countedOfAccount(db, accountId).select(sql<string>`lower(name)`.as('name_key'));
  if (filter.search !== null) {
    query = query.where(sql<boolean>`strpos(lower(name), lower(${asText(filter.search)})) > 0`);
  }
  if (filter.selecting !== null) {
    const templates = filter.selecting.map((tool) => JSON.stringify({ selectedTools: [tool] }));
    query = query.where(sql<boolean>`template @> any(${templates}::jsonb[])`);
  }
  return pagesOf<ListedAgentRow>(query, ORDERS[filter.sort]);
}

export function findCountedAgent(
  db: Database,
  accountId: string,
  agentId: string,
): Promise<CountedAgentRow | undefined> {
  return countedOfAccount(db, accountId).where('agents.agent_id', '=', agentId).executeTakeFirst();
}

export function findAgent(db: Database, accountId: string, agentId: string): Promise<AgentRow | undefined> {
  return ofAccount(db, accountId).where('agents.agent_id', '=', agentId).executeTakeFirst();
}

/** The given ids that are agents of the account. */
export async function agentsAmong(
  db: Database,
  accountId: string,
  agentIds: readonly string[],
): Promise<Set<string>> {
  if (agentIds.length === 0) return new Set();
  const rows = await ofAccount(db, accountId).where('agents.agent_id', 'in', agentIds).execute();
  return new Set(rows.map((row) => row.agent_id));
}

/** Locks the agent until the transaction ends. */
export async function lockAgent(
  tx: Database,
  accountId: string,
  agentId: string,
): Promise<AgentRow | undefined> {
  await tx.selectFrom('agents').select('agent_id').where('agent_id', '=', agentId).forUpdate().execute();
  // A separate statement: within the locking statement, a waiting transaction would read revisions as of
  // before the lock.
  return findAgent(tx, accountId, agentId);
}

/** Inserts an agent without a template. */
export async function insertAgent(
  db: Database,
  agent: { agentId: string; accountId: string; name: string; testsRequired: boolean; createdAt: Date },
): Promise<void> {
  await db
    .insertInto('agents')
    .values({
      agent_id: agent.agentId,
      account_id: agent.accountId,
      name: agent.name,
      tests_required: agent.testsRequired,
      created_at: agent.createdAt,
    })
    .execute();
}

export async function updateAgent(
  tx: Database,
  agentId: string,
  values: { name: string; tests_required: boolean },
): Promise<void> {
  await tx.updateTable('agents').set(values).where('agent_id', '=', agentId).execute();
}

/** The scenarios that are stored with an agent; undefined if the account has no such agent. */
export async function findTestSuite(
  db: Database,
  accountId: string,
  agentId: string,
): Promise<TestScenario[] | undefined> {
  const agent = await db
    .selectFrom('agents')
    .select('test_scenarios')
    .where('account_id', '=', accountId)
    .where('agent_id', '=', agentId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return agent?.test_scenarios;
}

/** False if the account has no such agent. */
export async function replaceTestSuite(
  db: Database,
  accountId: string,
  agentId: string,
  scenarios: readonly TestScenario[],
): Promise<boolean> {
  const changed = await db
    .updateTable('agents')
    .set({ test_scenarios: asJson(scenarios) })
    .where('account_id', '=', accountId)
    .where('agent_id', '=', agentId)
    .where('deleted_at', 'is', null)
    .returning('agent_id')
    .executeTakeFirst();
  return changed !== undefined;
}

/**
 * Also deletes its revisions and the secrets in them, and removes it from the lists of agents that providers and SIP
 * may call. Its calls still show the agent.
 */
export async function deleteAgent(
  tx: Database,
  accountId: string,
  agentId: string,
  now: Date,
): Promise<boolean> {
  const deleted = await tx
    .updateTable('agents')
    .set({ deleted_at: now, published_revision_id: null, test_scenarios: asJson([]) })
    .where('account_id', '=', accountId)
    .where('agent_id', '=', agentId)
    .where('deleted_at', 'is', null)
    .returning('agent_id')
    .executeTakeFirst();
  if (!deleted) return false;
  await tx.deleteFrom('agent_revisions').where('agent_id', '=', deleted.agent_id).execute();
  await removeFromAllowedAgents(tx, accountId, deleted.agent_id);
  return true;
}

async function removeFromAllowedAgents(tx: Database, accountId: string, agentId: string): Promise<void> {
  await tx
    .updateTable('telephony_configs')
    .set({ allowed_agent_ids: sql<string[]>`array_remove(allowed_agent_ids, ${agentId}::uuid)` })
    .where('account_id', '=', accountId)
    .where(sql<boolean>`${agentId}::uuid = any(allowed_agent_ids)`)
    .execute();
  const remaining = sql<string>`(select coalesce(jsonb_agg(allowance), '[]')
    from jsonb_array_elements(allowed_agents) allowance where lower(allowance->>'agentId') <> ${agentId})`;
  await tx
    .updateTable('sip_configs')
    .set({ allowed_agents: remaining })
    .where('account_id', '=', accountId)
    .execute();
}
