import type { Agent } from '@calls/api-contract/rest/agent';
import { CallTemplate, type CallTemplateAnswer } from '@calls/api-contract/rest/call-template';
import { withoutSecrets } from '@calls/api-contract/secrets';
import type { CountedAgentRow } from '@calls/store/tables/agents';

export function agentView(row: CountedAgentRow): Agent {
  const { template, template_created_at: created, template_updated_at: updated } = row;
  return {
    agentId: row.agent_id,
    publishedRevisionId: row.published_revision_id,
    name: row.name,
    created: row.created_at.toISOString(),
    callTemplate: template && created && updated && templateView({ template, created, updated }),
    statistics: { calls: row.calls },
  };
}

/** The API's view of a stored template. */
export function templateView(stored: {
  template: CallTemplate;
  created: Date;
  updated: Date;
}): CallTemplateAnswer {
  return {
    ...withoutSecrets(CallTemplate.Request, stored.template),
    created: stored.created.toISOString(),
    updated: stored.updated.toISOString(),
  };
}
