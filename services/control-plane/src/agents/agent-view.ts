import type { Agent } from '@calls/api-contract/rest/agent';
import type { AgentRevision, AgentRevisionBasic } from '@calls/api-contract/rest/agent-revision';
import { CallTemplate, type CallTemplateResponse } from '@calls/api-contract/rest/call-template';
import { withoutSecrets } from '@calls/api-contract/secrets';
import type { AgentRevisionBasicRow, AgentRevisionRow } from '@calls/store/tables/agent-revisions';
import type { CountedAgentRow } from '@calls/store/tables/agents';

export function agentView(row: CountedAgentRow): Agent {
  const { template, template_created_at: created, template_updated_at: updated } = row;
  return {
    agentId: row.agent_id,
    publishedRevisionId: row.published_revision_id,
    name: row.name,
    testsRequired: row.tests_required,
    created: row.created_at.toISOString(),
    callTemplate: template && created && updated && templateView({ template, created, updated }),
    statistics: { calls: row.calls },
  };
}

/** The API's view of a stored template. */
function templateView(stored: {
  template: CallTemplate;
  created: Date;
  updated: Date;
}): CallTemplateResponse {
  return {
    ...withoutSecrets(CallTemplate.Request, stored.template),
    created: stored.created.toISOString(),
    updated: stored.updated.toISOString(),
  };
}

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
