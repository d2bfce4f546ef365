import type { CallToolDefinition } from '@calls/api-contract/rest/tool';
import type { ToolAuth } from './security.ts';

/** A tool of a stage. */
export interface ResolvedTool {
  /** Null for temporary tools. */
  toolId: string | null;
  /** Name for the model; unique in the stage. */
  name: string;
  /** Contains no secrets. */
  definition: CallToolDefinition;
  auth: ToolAuth;
}
