import { Type, type Static, type TSchema } from 'typebox';
import { CallTemplate } from './call-template.ts';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';
import { defineResource, ReadOnly } from './resource.ts';

const AgentStatistics = Closed(
  {
    calls: Type.Integer({ minimum: 0, description: 'Calls of the agent that were not deleted.' }),
  },
  'AgentStatistics',
);

const Name = Type.String({ maxLength: 64 });

function agentWith<N extends TSchema, T extends TSchema>(name: N, callTemplate: T) {
  return defineResource('Agent', {
    agentId: ReadOnly(Uuid),
    publishedRevisionId: ReadOnly(Nullable(Uuid)),
    name,
    created: ReadOnly(DateTime),
    callTemplate,
    statistics: ReadOnly(AgentStatistics),
  });
}

const asAnswered = agentWith(Name, Nullable(CallTemplate.Response));
const asRequested = agentWith(Type.Optional(Name), Type.Optional(Nullable(CallTemplate.Request)));

/** A named, stored template of calls. */
export const Agent = {
  Response: asAnswered.Response,
  Request: asRequested.Request,
  Patch: asRequested.Patch,
};
export type Agent = Static<typeof Agent.Response>;
export type AgentChange = Static<typeof Agent.Patch>;

/** `-`: from the last to the first. */
export const AgentSort = Type.Enum(['name', '-name', 'created', '-created'], { default: '-created' });
export type AgentSort = Static<typeof AgentSort>;
