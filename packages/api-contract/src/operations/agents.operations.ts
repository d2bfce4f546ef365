import { described } from '@calls/foundation/schema/annotations';
import { Uuid } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { AgentRevision, AgentRevisionBasic, CreateAgentRevision } from '../rest/agent-revision.ts';
import { Agent, AgentSort } from '../rest/agent.ts';
import { Call, StartAgentCallQuery, StartAgentCallRequest } from '../rest/call.ts';
import { agent, agentRevision, agentRevisionBasic, callTemplateBody } from './examples/agents.examples.ts';
import { call } from './examples/calls.examples.ts';
import { pageOf } from './examples/example-values.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Agents';
const path = '/api/agents/{agent_id}';

export const listAgents = defineList({
  id: 'listAgents',
  path: '/api/agents',
  tag,
  summary: 'List agents',
  description: 'Returns the agents of the account, newest first unless `sort` is set.',
  example: { query: { search: 'reception', sort: 'name' }, response: pageOf(agent) },
  filters: {
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Part of the name; not case-sensitive.' }),
    ),
    sort: Type.Optional(AgentSort),
    toolId: Type.Optional(
      described(Uuid, 'Id of a tool: only agents whose current template selects it, by its id or its name.'),
    ),
  },
  item: Agent.Response,
  itemName: 'Agent',
});

export const createAgent = defineOperation({
  id: 'createAgent',
  method: 'POST',
  path: '/api/agents',
  tag,
  summary: 'Create an agent',
  description:
    'Creates an agent with a call template. Fails with 403 if the template uses a feature that the account does not have.',
  example: { body: { name: 'Reception', callTemplate: callTemplateBody }, response: agent },
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
  summary: 'Get an agent',
  description: 'Returns an agent with its call template, without secrets.',
  example: { response: agent },
  status: 200,
  response: Agent.Response,
});

export const updateAgent = defineOperation({
  id: 'updateAgent',
  method: 'PATCH',
  path,
  tag,
  summary: 'Update an agent',
  description:
    'Changes the name or the call template of an agent. `callTemplate` replaces the whole template and creates a revision; existing calls do not change. Secrets that the new template omits do not change. Fails with 403 if the account lacks a feature, and with 409 `tests_required` if the agent requires tests.',
  example: { body: { callTemplate: { ...callTemplateBody, temperature: 0.2 } }, response: agent },
  body: Agent.Patch,
  status: 200,
  response: Agent.Response,
  errorStatuses: [403, 409],
});

export const deleteAgent = defineOperation({
  id: 'deleteAgent',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete an agent',
  description: 'Deletes an agent with its revisions and scheduled batches. Its calls are not deleted.',
  example: {},
  status: 204,
});

export const listAgentRevisions = defineList({
  id: 'listAgentRevisions',
  path: '/api/agents/{agent_id}/revisions',
  tag,
  summary: 'List the revisions of an agent',
  description:
    'Returns the versions of the call template of an agent, newest first, without the templates. The latest 200 and the published one are retained.',
  example: { response: pageOf(agentRevisionBasic) },
  item: AgentRevisionBasic,
  itemName: 'AgentRevisionBasic',
});

export const createAgentRevision = defineOperation({
  id: 'createAgentRevision',
  method: 'POST',
  path: '/api/agents/{agent_id}/revisions',
  tag,
  summary: 'Create a revision of an agent',
  description:
    'Stores a template without publishing it, so that it can be tested first. New calls of the agent do not use it. Secrets that the template omits are copied from the published one. Fails with 403 if the account lacks a feature.',
  example: {
    body: { callTemplate: { ...callTemplateBody, temperature: 0.2 } },
    response: { ...agentRevision, published: false },
  },
  body: CreateAgentRevision,
  status: 201,
  response: AgentRevision,
  errorStatuses: [403],
});

export const publishAgentRevision = defineOperation({
  id: 'publishAgentRevision',
  method: 'POST',
  path: '/api/agents/{agent_id}/revisions/{revision_id}/publish',
  tag,
  summary: 'Publish a revision of an agent',
  description:
    'Makes new calls of the agent use a revision. If the agent requires tests, this fails with 409 `tests_required` unless the newest test run of the revision has ended, has all scenarios of the test suite, and all passed. Fails with 403 if the account lacks a feature, and with 422 `revision_not_usable` if the template refers to something deleted, such as a voice.',
  example: { response: agent },
  status: 200,
  response: Agent.Response,
  errorStatuses: [403, 409, 422],
});

export const getAgentRevision = defineOperation({
  id: 'getAgentRevision',
  method: 'GET',
  path: '/api/agents/{agent_id}/revisions/{revision_id}',
  tag,
  summary: 'Get a revision of an agent',
  description: 'Returns a version of the call template of an agent.',
  example: { response: agentRevision },
  status: 200,
  response: AgentRevision,
});

export const restoreAgentRevision = defineOperation({
  id: 'restoreAgentRevision',
  method: 'POST',
  path: '/api/agents/{agent_id}/revisions/{revision_id}/restore',
  tag,
  summary: 'Restore a revision of an agent',
  description:
    'Creates a new revision with the template of an earlier one, secrets included, and makes it current. Does nothing if that template is already current. Fails with 403 if the account lacks a feature, with 409 `tests_required` if the agent requires tests, and with 422 `revision_not_usable` if the template refers to something deleted, such as a voice.',
  example: { response: agent },
  status: 200,
  response: Agent.Response,
  errorStatuses: [403, 409, 422],
});

export const listAgentCalls = defineList({
  id: 'listAgentCalls',
  path: '/api/agents/{agent_id}/calls',
  tag,
  summary: 'List the calls of an agent',
  description: 'Returns the calls of an agent, newest first.',
  example: { query: { pageSize: 50 }, response: pageOf(call) },
  item: Call,
  itemName: 'Call',
});

export const startAgentCall = defineOperation({
  id: 'startAgentCall',
  method: 'POST',
  path: '/api/agents/{agent_id}/calls',
  tag,
  summary: 'Create a call of an agent',
  description:
    'Creates a call from the template of an agent. The body fills in template variables and overrides some settings. Fails like `POST /api/calls`.',
  example: { body: { templateContext: { hotel: 'Seaview' }, metadata: { room: '12' } }, response: call },
  query: StartAgentCallQuery,
  idempotent: true,
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
  createAgentRevision,
  getAgentRevision,
  publishAgentRevision,
  restoreAgentRevision,
  listAgentCalls,
  startAgentCall,
];
