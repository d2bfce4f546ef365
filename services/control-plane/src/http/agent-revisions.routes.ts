import {
  createAgentRevision,
  getAgentRevision,
  listAgentRevisions,
  publishAgentRevision,
  restoreAgentRevision,
} from '@calls/api-contract/operations/agents.operations';
import { findRevision, revisionsOf, type AgentRevisionRow } from '@calls/store/tables/agent-revisions';
import { findAgent, findCountedAgent } from '@calls/store/tables/agents';
import { AgentService, type AgentServiceDeps } from '../agents/agent-service.ts';
import { agentRevisionBasicView, agentRevisionView, agentView } from '../agents/agent-view.ts';
import { templateRules } from './agents.routes.ts';
import type { ApiRouter } from './api-router.ts';
import { orNotFound } from '../problems/problem.ts';

export function agentRevisionRoutes(api: ApiRouter, deps: AgentServiceDeps): void {
  const { db } = deps;
  const agents = new AgentService(deps);
  const own = async (accountId: string, agentId: string, revisionId: string): Promise<AgentRevisionRow> => {
    const agent = orNotFound('agent', await findAgent(db, accountId, agentId));
    return orNotFound('revision', await findRevision(db, agent.agent_id, revisionId));
  };

  api
    .list(listAgentRevisions, async ({ accountId, params }) => {
      const agent = orNotFound('agent', await findAgent(db, accountId, params.agent_id));
      return { source: revisionsOf(db, agent.agent_id), item: agentRevisionBasicView };
    })
    .on(
      createAgentRevision,
      async (request) => {
        const { accountId, params, body } = request;
        const created = await agents.createRevision(request, params.agent_id, body.callTemplate);
        return agentRevisionView(await own(accountId, params.agent_id, orNotFound('agent', created)));
      },
      templateRules(deps),
    )
    .on(publishAgentRevision, async (request) => {
      const { accountId, params } = request;
      const revision = await own(accountId, params.agent_id, params.revision_id);
      orNotFound('agent', await agents.publish(request, revision.agent_id, revision));
      return agentView(orNotFound('agent', await findCountedAgent(db, accountId, revision.agent_id)));
    })
    .on(getAgentRevision, async ({ accountId, params }) =>
      agentRevisionView(await own(accountId, params.agent_id, params.revision_id)),
    )
    .on(restoreAgentRevision, async (request) => {
      const { accountId, params } = request;
      const revision = await own(accountId, params.agent_id, params.revision_id);
      orNotFound('agent', await agents.restore(request, revision.agent_id, revision));
      const row = orNotFound('agent', await findCountedAgent(db, accountId, revision.agent_id));
      return agentView(row);
    });
}
