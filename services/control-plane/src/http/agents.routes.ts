import {
  createAgent,
  deleteAgent as deleteOperation,
  getAgent,
  listAgentCalls,
  listAgents,
  startAgentCall,
  updateAgent,
} from '@calls/api-contract/operations/agents.operations';
import type { Agent } from '@calls/api-contract/rest/agent';
import { AgentCallCreator } from '@calls/call-lifecycle/creation/agent-call-creator';
import { requestIssues } from '@calls/call-lifecycle/creation/request-issues';
import { templateIssues } from '@calls/call-lifecycle/creation/templates/template-issues';
import {
  agentsOf,
  deleteAgent,
  findAgent,
  findCountedAgent,
  type CountedAgentRow,
} from '@calls/store/tables/agents';
import { callsOf } from '@calls/store/tables/call-lists';
import { selectionsOf } from '@calls/store/tables/tools';
import { AgentService, withAgentPaths, type AgentServiceDeps } from '../agents/agent-service.ts';
import { agentView } from '../agents/agent-view.ts';
import type { ApiRouter } from './api-router.ts';
import type { BodyRules } from './body-reader.ts';
import type { CallRoutesDeps } from './calls.routes.ts';
import { createCallOnce } from './idempotency-key.ts';
import { orNotFound } from '../problems/problem.ts';

/** Voice overrides are validated against the whole call, because the voice may be set in the template. */
const callRules: BodyRules = {
  issues: (body) => requestIssues(isObject(body) ? { ...body, voiceOverrides: undefined } : body),
};

/** Rules for bodies with a `callTemplate`. */
export function templateRules({ creator }: Pick<AgentServiceDeps, 'creator'>): BodyRules {
  return {
    async issues(body, accountId) {
      if (!isObject(body) || !('callTemplate' in body)) return [];
      return withAgentPaths(await templateIssues(body.callTemplate, creator.checksOf(accountId)));
    },
  };
}

function isObject(body: unknown): body is object {
  return typeof body === 'object' && body !== null;
}

export function agentRoutes(
  api: ApiRouter,
  deps: AgentServiceDeps & Pick<CallRoutesDeps, 'callView' | 'readReplicas'>,
): void {
  const { db, readReplicas, secretBox, creator, clock, callView } = deps;
  const agents = new AgentService(deps);
  const agentCalls = new AgentCallCreator({ db, secretBox, calls: creator });
  const shown = async (accountId: string, agentId: string): Promise<Agent> => {
    const row = orNotFound('agent', await findCountedAgent(db, accountId, agentId));
    return agentView(row);
  };

  api
    .list(listAgents, async ({ accountId, query: { search = null, sort = '-created', toolId } }) => {
      const selecting = toolId === undefined ? null : await selectionsOf(db, accountId, toolId);
      return {
        source: agentsOf(db, accountId, { search, sort, selecting }),
        item: (row: CountedAgentRow) => agentView(row),
      };
    })
    .on(
      createAgent,
      async (request) => shown(request.accountId, await agents.create(request, request.body)),
      templateRules(deps),
    )
    .on(getAgent, ({ accountId, params }) => shown(accountId, params.agent_id))
    .on(
      updateAgent,
      async (request) => {
        const { accountId, params, body } = request;
        orNotFound('agent', await agents.change(request, params.agent_id, body));
        return shown(accountId, params.agent_id);
      },
      templateRules(deps),
    )
    .on(deleteOperation, async ({ accountId, params }) => {
      const now = new Date(clock.wallMs());
      const deletion = db.transaction().execute((tx) => deleteAgent(tx, accountId, params.agent_id, now));
      orNotFound('agent', await deletion);
    })
    .list(listAgentCalls, async ({ accountId, params }) => {
      const agent = orNotFound('agent', await findAgent(db, accountId, params.agent_id));
      const filters = { agentIds: [agent.agent_id] };
      return { source: readReplicas.list((replica) => callsOf(replica, accountId, filters)), item: callView };
    })
    .on(
      startAgentCall,
      async (request) => {
        const { holder: account, fromConsole, params, query, body } = request;
        const call = { account, agentId: params.agent_id, body, throttle: query.throttle, fromConsole };
        const row = await createCallOnce(db, request, (idempotency) =>
          agentCalls.create({ ...call, ...idempotency }),
        );
        return callView(orNotFound('agent', row));
      },
      callRules,
    );
}
