import type { Agent } from '@calls/api-contract';
import { openTemplate, withoutSecrets } from '@calls/call-creation';
import type { SecretBox } from '@calls/secret-box';
import type { CountedAgentRow } from '@calls/store';

export function agentView(box: SecretBox, accountId: string, row: CountedAgentRow): Agent {
  const { template, template_created_at: created, template_updated_at: updated } = row;
  return {
    agentId: row.agent_id,
    publishedRevisionId: row.published_revision_id,
    name: row.name,
    created: row.created_at.toISOString(),
    callTemplate:
      template && created && updated
        ? {
            ...withoutSecrets(openTemplate(box, accountId, template)),
            created: created.toISOString(),
            updated: updated.toISOString(),
          }
        : null,
    statistics: { calls: row.calls },
  };
}
