import { Type } from 'typebox';
import { AgentRevision, AgentRevisionBasic } from '../rest/agent-revision.ts';
import { Agent, AgentSort } from '../rest/agent.ts';
import { Call, StartAgentCallQuery, StartAgentCallRequest } from '../rest/call.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Agents';
const path = '/api/agents/{agent_id}';

export const listAgents = defineList({
  id: 'listAgents',
  path: '/api/agents',
  tag,
  summary: 'Lists the agents of the account, newest first unless `sort` says otherwise.',
  filters: {
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Part of the name, whatever its case.' }),
    ),
    sort: Type.Optional(AgentSort),
  },
  item: Agent.Response,
  itemName: 'Agent',
});

export const createAgent = defineOperation({
  id: 'createAgent',
  method: 'POST',
  path: '/api/agents',
  tag,
  summary: 'Creates an agent.',
  body: Agent.Request,
  status: 201,
  response: Agent.Response,
  errorStatuses: [403],
});

export const getAgent = defineOperation({
  id: 'getAgent',
  method: 'GET',
  path,
  tag,
  summary: 'Gets an agent.',
  status: 200,
  response: Agent.Response,
});

export const updateAgent = defineOperation({
  id: 'updateAgent',
  method: 'PATCH',
  path,
  tag,
  summary: 'Changes an agent. A changed template is a new revision; calls keep the one that they began with.',
  description:
    '`callTemplate` replaces the template as a whole, null clears it. Secrets that are never answered (`sharedSecrets`, `authTokens`, SIP passwords) stay where the new template leaves them out.',
  body: Agent.Patch,
  status: 200,
  response: Agent.Response,
  errorStatuses: [403],
});

export const deleteAgent = defineOperation({
  id: 'deleteAgent',
  method: 'DELETE',
  path,
  tag,
  summary: 'Deletes an agent with its revisions. Its calls stay.',
  status: 204,
});

export const listAgentRevisions = defineList({
  id: 'listAgentRevisions',
  path: '/api/agents/{agent_id}/revisions',
  tag,
  summary: 'Lists the revisions of an agent, newest first: its templates over time, without their contents.',
  description: 'The latest 200 of an agent are kept, and the published one.',
  item: AgentRevisionBasic,
  itemName: 'AgentRevisionBasic',
});

export const getAgentRevision = defineOperation({
  id: 'getAgentRevision',
  method: 'GET',
  path: '/api/agents/{agent_id}/revisions/{revision_id}',
  tag,
  summary: 'Gets a revision of an agent with its template.',
  status: 200,
  response: AgentRevision,
});

export const restoreAgentRevision = defineOperation({
  id: 'restoreAgentRevision',
  method: 'POST',
  path: '/api/agents/{agent_id}/revisions/{revision_id}/restore',
  tag,
  summary: 'Gives an agent the template of one of its revisions again, secrets included, as a new revision.',
  description:
    'No revision is made where the agent has that template already. 422 `revision_not_usable` where it asks for what is no longer there, such as a deleted voice; `errors` say what.',
  status: 200,
  response: Agent.Response,
  errorStatuses: [403, 422],
});

export const listAgentCalls = defineList({
  id: 'listAgentCalls',
  path: '/api/agents/{agent_id}/calls',
  tag,
  summary: 'Lists the calls of an agent, newest first.',
  item: Call,
  itemName: 'Call',
});

export const startAgentCall = defineOperation({
  id: 'startAgentCall',
  method: 'POST',
  path: '/api/agents/{agent_id}/calls',
  tag,
  summary: 'Creates a call of an agent from its template.',
  query: StartAgentCallQuery,
  body: StartAgentCallRequest,
  status: 201,
  response: Call,
  errorStatuses: [402, 403, 422],
});

export const agentOperations = [
  listAgents,
  createAgent,
  getAgent,
  updateAgent,
  deleteAgent,
  listAgentRevisions,
  getAgentRevision,
  restoreAgentRevision,
  listAgentCalls,
  startAgentCall,
];
