import type { SelectedTool, ToolOverrides } from '@calls/api-contract/rest/tool';
import type { Issue } from '@calls/api-contract/validation/validator';

/** Tools of a call, each with its path in the request or the template. */
export interface ChosenTools {
  tools: readonly { tool: SelectedTool; path: string }[];
  issues: readonly Issue[];
}

/** `names`: model names of the tools in the template, in order; needed only if tools are removed by name. */
export function overrideTools(
  inTemplate: readonly SelectedTool[],
  overrides: ToolOverrides,
  names: readonly string[],
): ChosenTools {
  const { remove = [], removeAll = false, add = [] } = overrides;
  const issues = remove.flatMap((name, index) =>
    names.includes(name)
      ? []
      : [{ path: `toolOverrides.remove.${index}`, message: "must be the name of one of the agent's tools" }],
  );
  const remaining = inTemplate
    .map((tool, index) => ({ tool, path: `callTemplate.selectedTools.${index}` }))
    .filter((_, index) => !removeAll && !remove.includes(names[index] ?? ''));
  const added = add.map((tool, index) => ({ tool, path: `toolOverrides.add.${index}` }));
  return { tools: [...remaining, ...added], issues };
}
