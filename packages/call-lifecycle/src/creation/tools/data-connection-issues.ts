import type { Issue } from '@calls/api-contract/validation/validator';
import type { ResolvedTool } from './resolve-tools.ts';

/** Tools that nothing would answer: they run over a data connection that there isn't. */
export function dataConnectionIssues(tools: readonly ResolvedTool[], hasDataConnection: boolean): Issue[] {
  if (hasDataConnection) return [];
  const message = 'runs over a data connection, and the call has none';
  return tools.flatMap(({ definition }, index) =>
    definition.dataConnection ? [{ path: `selectedTools.${index}`, message }] : [],
  );
}
