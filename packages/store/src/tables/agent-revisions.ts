import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import { sql, type Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { AgentRevisionTable } from '../schema/agent-tables.ts';
import type { Database } from '../store.ts';

export interface NewAgentRevision {
  revisionId: string;
  /** Secrets encrypted; without timestamps. */
  template: CallTemplate;
  /** When the agent got the template that this one derives from. */
  templateCreatedAt: Date;
  createdAt: Date;
  agentName: string;
  keyPrefix: string;
  fromConsole: boolean;
  restoredFrom: string | null;
  changedFields: string[];
}

/** `is_published`: new calls of the agent use it. */
export type AgentRevisionBasicRow = Omit<Selectable<AgentRevisionTable>, 'template'> & {
  is_published: boolean;
};
/** Secrets encrypted. */
export type AgentRevisionRow = AgentRevisionBasicRow & Pick<Selectable<AgentRevisionTable>, 'template'>;

/** Maximum number of revisions stored per agent, besides the published one. */
export const MAX_REVISIONS = 200;

function revisions(db: Database, agentId: string) {
  return db
    .selectFrom('agent_revisions as r')
    .innerJoin('agents', 'agents.agent_id', 'r.agent_id')
    .select(['r.revision_id', 'r.agent_id', 'r.template_created_at', 'r.created_at', 'agent_name'])
    .select(['key_prefix', 'from_console', 'restored_from', 'changed_fields'])
    .select(sql<boolean>`r.revision_id is not distinct from published_revision_id`.as('is_published'))
    .where('r.agent_id', '=', agentId);
}

/** Newest first. */
export function revisionsOf(db: Database, agentId: string): PageSource<AgentRevisionBasicRow> {
  const order = orderedBy('desc', 'r.created_at', 'r.revision_id');
  return pagesOf<AgentRevisionBasicRow>(revisions(db, agentId), order);
}

export function findRevision(
  db: Database,
  agentId: string,
  revisionId: string,
): Promise<AgentRevisionRow | undefined> {
  return revisions(db, agentId)
    .select('r.template')
    .where('r.revision_id', '=', revisionId)
    .executeTakeFirst();
}

/** Secrets encrypted; undefined if the agent never had a template. */
export async function latestTemplate(db: Database, agentId: string): Promise<CallTemplate | undefined> {
  const latest = await db
    .selectFrom('agent_revisions')
    .select('template')
    .where('agent_id', '=', agentId)
    .orderBy('created_at', 'desc')
    .orderBy('revision_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return latest?.template;
}

/** Adds a revision that is not published. Then call `publishRevision` or `deleteOldRevisions`. */
export async function insertRevision(
  tx: Database,
  agentId: string,
  revision: NewAgentRevision,
): Promise<void> {
  await tx
    .insertInto('agent_revisions')
    .values({
      revision_id: revision.revisionId,
      agent_id: agentId,
      template: asJson(revision.template),
      template_created_at: revision.templateCreatedAt,
      created_at: revision.createdAt,
      agent_name: revision.agentName,
      key_prefix: revision.keyPrefix,
      from_console: revision.fromConsole,
      restored_from: revision.restoredFrom,
      changed_fields: revision.changedFields,
    })
    .execute();
}

/** Makes the template of this revision the agent's template (null: none), and deletes old revisions. */
export async function publishRevision(
  tx: Database,
  agentId: string,
  revisionId: string | null,
): Promise<void> {
  await tx
    .updateTable('agents')
    .set({ published_revision_id: revisionId })
    .where('agent_id', '=', agentId)
    .execute();
  await deleteOldRevisions(tx, agentId);
}

/** Deletes all revisions but the latest ones and the published one. */
export async function deleteOldRevisions(tx: Database, agentId: string): Promise<void> {
  const old = revisions(tx, agentId)
    .clearSelect()
    .select('r.revision_id')
    .where(sql<boolean>`r.revision_id is distinct from published_revision_id`)
    .orderBy('r.created_at', 'desc')
    .orderBy('r.revision_id', 'desc')
    .offset(MAX_REVISIONS - 1);
  await tx.deleteFrom('agent_revisions').where('revision_id', 'in', old).execute();
}
