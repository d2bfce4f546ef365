import { Type, type Static } from 'typebox';
import { Call } from './call.ts';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';
import { defineResource, ReadOnly } from './resource.ts';
import { BaseToolDefinition, CallToolDefinition } from './tool.ts';

const Ownership = Type.Enum(['private', 'public']);

/** A tool that calls select by its id or name. Public ones are the service's own, in every account's catalogue. */
export const Tool = defineResource('Tool', {
  toolId: ReadOnly(Uuid),
  name: Type.String({ minLength: 1, maxLength: 40 }),
  created: ReadOnly(DateTime),
  definition: BaseToolDefinition,
  ownership: ReadOnly(Ownership),
});
export type Tool = Static<typeof Tool.Response>;

export const ToolSortOrder = Type.Enum([
  'display',
  'alphabetic',
  'reverseAlphabetic',
  'chronologic',
  'reverseChronologic',
  'default',
]);
export type ToolSortOrder = Static<typeof ToolSortOrder>;

/** A call that had the tool, and how many of its invocations there failed. */
export const ToolHistory = Closed({ call: Call, errorCount: Type.Integer({ minimum: 0 }) }, 'ToolHistory');
export type ToolHistory = Static<typeof ToolHistory>;

/** A tool as a call has it. `toolId` is null for temporary tools; `name` is what the model knows it by. */
export const CallTool = Closed(
  {
    callToolId: Uuid,
    toolId: Nullable(Uuid),
    name: Type.String(),
    definition: CallToolDefinition,
  },
  'CallTool',
);
export type CallTool = Static<typeof CallTool>;
