import { described, ReadOnly } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static, type TSchema } from 'typebox';
import { CallTemplate } from './call-template.ts';
import { defineResource } from './resource.ts';

const AgentStatistics = Closed(
  {
    calls: Type.Integer({ minimum: 0, description: 'Calls of the agent, without deleted ones.' }),
  },
  'AgentStatistics',
  'Statistics of an agent.',
);

const Name = Type.String({ maxLength: 64, description: 'Name of the agent. Defaults to an empty string.' });
const TestsRequired = Type.Boolean({
  description:
    'Whether a revision can be published only if every scenario of its newest test run passed. Defaults to false.',
});
const TEMPLATE = 'Settings that calls of the agent start with; null for none.';

function agentWith<N extends TSchema, R extends TSchema, T extends TSchema>(
  name: N,
  testsRequired: R,
  callTemplate: T,
) {
  return defineResource('Agent', {
    agentId: ReadOnly(described(Uuid, 'Id of the agent.')),
    publishedRevisionId: ReadOnly(
      Nullable(Uuid, 'Revision of the template that new calls use; null when the agent has no template.'),
    ),
    name,
    testsRequired,
    created: ReadOnly(described(DateTime, 'When the agent was created.')),
    callTemplate,
    statistics: ReadOnly(described(AgentStatistics, 'Statistics of the agent.')),
  });
}

const response = agentWith(Name, TestsRequired, Nullable(CallTemplate.Response, TEMPLATE));
const request = agentWith(
  Type.Optional(Name),
  Type.Optional(TestsRequired),
  Type.Optional(Nullable(CallTemplate.Request, TEMPLATE)),
);

/** A named, stored template of calls. */
export const Agent = {
  Response: response.Response,
  Request: request.Request,
  Patch: request.Patch,
};
export type Agent = Static<typeof Agent.Response>;
export type AgentChange = Static<typeof Agent.Patch>;

export const AgentSort = Type.Enum(['name', '-name', 'created', '-created'], {
  default: '-created',
  description: 'Sort order of the list; `-` reverses it. Names are compared without case.',
});
export type AgentSort = Static<typeof AgentSort>;
