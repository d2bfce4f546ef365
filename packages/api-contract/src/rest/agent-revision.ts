import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { CallTemplate } from './call-template.ts';

const Author = Closed(
  {
    apiKeyPrefix: Type.String({ description: 'Prefix of the API key that made the request.' }),
    fromConsole: Type.Boolean({ description: 'Whether the request came from the console.' }),
  },
  'AgentRevisionAuthor',
  'Author of a revision.',
);

const basic = {
  revisionId: described(Uuid, 'Id of the revision.'),
  agentId: described(Uuid, 'Id of the agent.'),
  published: Type.Boolean({ description: 'Whether new calls of the agent use this revision.' }),
  name: Nullable(Type.String(), 'Name of the agent at that time; null when it is unknown.'),
  created: described(DateTime, 'When the revision was created.'),
  createdBy: Nullable(Author, 'Who created the revision; null when that is unknown.'),
  restoredFrom: Nullable(Uuid, 'Revision whose template this one restores; null for other revisions.'),
  changedFields: Nullable(
    Type.Array(Type.String()),
    'Template fields, secrets included, that differ from the previous revision; null when that is unknown.',
  ),
};

/** A call template that an agent had or has, as lists show it. */
export const AgentRevisionBasic = Closed(
  basic,
  'AgentRevisionBasic',
  'A version of the call template of an agent, without the template.',
);
export type AgentRevisionBasic = Static<typeof AgentRevisionBasic>;

export const CreateAgentRevision = Closed(
  { callTemplate: described(CallTemplate.Request, 'Call template of the revision.') },
  'CreateAgentRevision',
  'A call template to test before it is published.',
);
export type CreateAgentRevision = Static<typeof CreateAgentRevision>;

/** The same with the template, without its secrets. */
export const AgentRevision = Closed(
  {
    ...basic,
    callTemplate: described(CallTemplate.Response, 'Call template of this revision, without secrets.'),
  },
  'AgentRevision',
  'A version of the call template of an agent.',
);
export type AgentRevision = Static<typeof AgentRevision>;
