import type { AgentRevision, AgentRevisionBasic } from '@calls/api-contract/rest/agent-revision';
import type { AgentRevisionBasicRow, AgentRevisionRow } from '@calls/store/tables/agent-revisions';
import { templateView } from './agent-view.ts';

export function agentRevisionBasicView(row: AgentRevisionBasicRow): AgentRevisionBasic {
  const { key_prefix: apiKeyPrefix, from_console: fromConsole } = row;
  return {
    revisionId: row.revision_id,
    agentId: row.agent_id,
    published: row.is_published,
    name: row.agent_name,
    created: row.created_at.toISOString(),
    createdBy: apiKeyPrefix === null ? null : { apiKeyPrefix, fromConsole: fromConsole ?? false },
    restoredFrom: row.restored_from,
    changedFields: row.changed_fields,
  };
}

export function agentRevisionView(row: AgentRevisionRow): AgentRevision {
  const { template, template_created_at: created, created_at: updated } = row;
  return {
    ...agentRevisionBasicView(row),
    callTemplate: templateView({ template, created, updated }),
  };
}
