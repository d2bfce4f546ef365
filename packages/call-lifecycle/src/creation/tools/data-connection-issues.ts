import type { Issue } from '@calls/api-contract/validation/validator';
import type { ResolvedTool } from './resolve-tools.ts';

/** Issues of data-connection tools in a call without a data connection. */
export function dataConnectionIssues(tools: readonly ResolvedTool[], hasDataConnection: boolean): Issue[] {
  if (hasDataConnection) return [];
  const message = 'runs over a data connection, and the call has none';
  return tools.flatMap(({ definition }, index) =>
    definition.dataConnection ? [{ path: `selectedTools.${index}`, message }] : [],
  );
}
