import { described, ReadOnly } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Call } from './call.ts';
import { defineResource } from './resource.ts';
import { BaseToolDefinition, CallToolDefinition } from './tool.ts';

export const ToolOwnership = Type.Enum(['private', 'public'], {
  description: '`private`: belongs to this account; `public`: built in, available to all accounts.',
});

/** A tool that calls select by its id or name. */
export const Tool = defineResource('Tool', {
  toolId: ReadOnly(described(Uuid, 'Id of the tool.')),
  name: Type.String({
    minLength: 1,
    maxLength: 40,
    description: 'Name of the tool, unique in the account.',
  }),
  created: ReadOnly(described(DateTime, 'When the tool was created.')),
  definition: described(BaseToolDefinition, 'What the tool does and how it runs.'),
  ownership: ReadOnly(ToolOwnership),
});
export type Tool = Static<typeof Tool.Response>;

export const ToolSortOrder = Type.Enum(
  ['display', 'alphabetic', 'reverseAlphabetic', 'chronologic', 'reverseChronologic', 'default'],
  {
    default: 'default',
    description:
      'Order of the list. `default` is newest first; `display` has private tools before public ones, each by name.',
  },
);
export type ToolSortOrder = Static<typeof ToolSortOrder>;

export const ToolHistory = Closed(
  {
    call: described(Call, 'The call.'),
    errorCount: Type.Integer({ minimum: 0, description: 'Failed invocations of the tool in this call.' }),
  },
  'ToolHistory',
  'A call in which the tool was available.',
);
export type ToolHistory = Static<typeof ToolHistory>;

export const CallTool = Closed(
  {
    callToolId: described(Uuid, 'Id of the tool within the call.'),
    toolId: Nullable(Uuid, 'Id of the stored tool; null for temporary tools.'),
    name: Type.String({ description: 'Name that the model sees.' }),
    definition: described(CallToolDefinition, 'Definition of the tool, with overrides applied.'),
  },
  'CallTool',
  'A tool of a call.',
);
export type CallTool = Static<typeof CallTool>;
