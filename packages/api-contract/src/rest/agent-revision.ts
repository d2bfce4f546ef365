import { Type, type Static } from 'typebox';
import { CallTemplate } from './call-template.ts';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';

const basic = {
  revisionId: Uuid,
  agentId: Uuid,
  published: Type.Boolean({ description: 'Whether it is what calls of the agent begin with now.' }),
  name: Nullable(
    Type.String({ description: 'The name that the agent had then; null where that is not known.' }),
  ),
  created: DateTime,
  createdBy: Nullable(
    Closed(
      {
        apiKeyPrefix: Type.String({
          description: 'Of the key that asked for it, or that the console was signed in with.',
        }),
        fromConsole: Type.Boolean(),
      },
      'AgentRevisionAuthor',
    ),
  ),
  restoredFrom: Nullable(
    Type.String({ format: 'uuid', description: 'The revision whose template this one repeats.' }),
  ),
  changedFields: Nullable(
    Type.Array(Type.String(), {
      description:
        'Fields of the template, secrets included, that are not what they were in the revision before; null where that is not known.',
    }),
  ),
};

/** A call template that an agent had or has, as lists show it. */
export const AgentRevisionBasic = Closed(basic, 'AgentRevisionBasic');
export type AgentRevisionBasic = Static<typeof AgentRevisionBasic>;

/** The same with the template, of which no secrets are answered. */
export const AgentRevision = Closed({ ...basic, callTemplate: CallTemplate.Response }, 'AgentRevision');
export type AgentRevision = Static<typeof AgentRevision>;
