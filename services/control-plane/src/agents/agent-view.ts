import type { Agent, CallTemplate, CallTemplateAnswer } from '@calls/api-contract';
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
      template && created && updated && templateView(box, accountId, { template, created, updated }),
    statistics: { calls: row.calls },
  };
}

/** Of a template as it is stored. */
export function templateView(
  box: SecretBox,
  accountId: string,
  stored: { template: CallTemplate; created: Date; updated: Date },
): CallTemplateAnswer {
  return {
    ...withoutSecrets(openTemplate(box, accountId, stored.template)),
    created: stored.created.toISOString(),
    updated: stored.updated.toISOString(),
  };
}
