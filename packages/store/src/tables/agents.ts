import type { AgentSort, CallTemplate } from '@calls/api-contract';
import { sql, type Selectable } from 'kysely';
import { asJson, asText } from '../as-json.ts';
import { pagesOf, type ListOrder, type PageSource } from '../keyset.ts';
import type { AgentTable } from '../schema/agent-tables.ts';
import type { Database } from '../store.ts';

/** An agent with its published revision, which is null where it has no template. */
export interface AgentRow extends Pick<
  Selectable<AgentTable>,
  'agent_id' | 'name' | 'created_at' | 'published_revision_id'
> {
  /** Secrets sealed. */
  template: CallTemplate | null;
  template_created_at: Date | null;
  template_updated_at: Date | null;
}

/** `calls`: how many it has created that weren't deleted. */
export type CountedAgentRow = AgentRow & { calls: number };

export interface AgentRevision {
  revisionId: string;
  /** Secrets sealed, without its times. */
  template: CallTemplate;
  /** When the agent got the template that this one comes from. */
  templateCreatedAt: Date;
  createdAt: Date;
}

/** Those that weren't deleted. */
function ofAccount(db: Database, accountId: string) {
  return db
    .selectFrom('agents')
    .leftJoin('agent_revisions', 'revision_id', 'published_revision_id')
    .select(['agents.agent_id', 'name', 'agents.created_at', 'published_revision_id', 'template'])
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

const byAge = {
  by: ['agents.created_at', 'agents.agent_id'],
  keyOf: (row: AgentRow) => [row.created_at.toISOString(), row.agent_id],
};
const byName = { by: ['name', 'agents.agent_id'], keyOf: (row: AgentRow) => [row.name, row.agent_id] };

const ORDERS: Readonly<Record<AgentSort, ListOrder<AgentRow>>> = {
  '-created': { ...byAge, direction: 'desc' },
  created: { ...byAge, direction: 'asc' },
  name: { ...byName, direction: 'asc' },
  '-name': { ...byName, direction: 'desc' },
};

export function agentsOf(
  db: Database,
  accountId: string,
  filter: {
    /** Part of the name, whatever its case. */
    search: string | null;
    sort: AgentSort;
  },
): PageSource<CountedAgentRow> {
  let query = countedOfAccount(db, accountId);
  if (filter.search !== null) {
    query = query.where(sql<boolean>`strpos(lower(name), lower(${asText(filter.search)})) > 0`);
  }
  return pagesOf<CountedAgentRow>(query, ORDERS[filter.sort]);
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

/** Those of the ids that are agents of the account. */
export async function agentsAmong(
  db: Database,
  accountId: string,
  agentIds: readonly string[],
): Promise<Set<string>> {
  if (agentIds.length === 0) return new Set();
  const rows = await ofAccount(db, accountId).where('agents.agent_id', 'in', agentIds).execute();
  return new Set(rows.map((row) => row.agent_id));
}

/** Nobody else changes it until the transaction ends. */
export function lockAgent(tx: Database, accountId: string, agentId: string): Promise<AgentRow | undefined> {
  return ofAccount(tx, accountId)
    .where('agents.agent_id', '=', agentId)
    .forUpdate('agents')
    .executeTakeFirst();
}

/** Without a template. */
export async function insertAgent(
  db: Database,
  agent: { agentId: string; accountId: string; name: string; createdAt: Date },
): Promise<void> {
  await db
    .insertInto('agents')
    .values({
      agent_id: agent.agentId,
      account_id: agent.accountId,
      name: agent.name,
      created_at: agent.createdAt,
    })
    .execute();
}

export async function renameAgent(tx: Database, agentId: string, name: string): Promise<void> {
  await tx.updateTable('agents').set({ name }).where('agent_id', '=', agentId).execute();
}

/** From now on the agent's template is this; null: it has none. Earlier revisions stay. */
export async function publishRevision(
  tx: Database,
  agentId: string,
  revision: AgentRevision | null,
): Promise<void> {
  if (revision) {
    await tx
      .insertInto('agent_revisions')
      .values({
        revision_id: revision.revisionId,
        agent_id: agentId,
        template: asJson(revision.template),
        template_created_at: revision.templateCreatedAt,
        created_at: revision.createdAt,
      })
      .execute();
  }
  await tx
    .updateTable('agents')
    .set({ published_revision_id: revision?.revisionId ?? null })
    .where('agent_id', '=', agentId)
    .execute();
}

/** Its calls keep showing it. */
export async function deleteAgent(
  db: Database,
  accountId: string,
  agentId: string,
  now: Date,
): Promise<boolean> {
  const deleted = await db
    .updateTable('agents')
    .set({ deleted_at: now })
    .where('account_id', '=', accountId)
    .where('agent_id', '=', agentId)
    .where('deleted_at', 'is', null)
    .returning('agent_id')
    .executeTakeFirst();
  return deleted !== undefined;
}
