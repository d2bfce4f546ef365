import { statements } from './statements.ts';

export const agentRevisions = statements(
  // Null for revisions created before this migration.
  `alter table agent_revisions
    add column agent_name text,
    add column key_prefix text,
    add column from_console boolean,
    add column restored_from uuid,
    add column changed_fields text[]`,
  `drop index agent_revisions_by_agent`,
  `create index agent_revisions_by_agent on agent_revisions (agent_id, created_at desc, revision_id desc)`,
  // Templates of deleted agents are no longer read and contain secrets.
  `update agents set published_revision_id = null where deleted_at is not null`,
  `delete from agent_revisions using agents
    where agents.agent_id = agent_revisions.agent_id and agents.deleted_at is not null`,
);
