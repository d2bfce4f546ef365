import type { SelectedTool, ToolOverrides } from '@calls/api-contract/rest/tool';
import type { Issue } from '@calls/api-contract/validation/validator';

/** Tools of a call, each with the path where it was named. */
export interface ChosenTools {
  tools: readonly { tool: SelectedTool; path: string }[];
  issues: readonly Issue[];
}

/** `names`: what the model knows the template's tools by, in their order; asked where tools are to be removed by name. */
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
  const kept = inTemplate
    .map((tool, index) => ({ tool, path: `callTemplate.selectedTools.${index}` }))
    .filter((_, index) => !removeAll && !remove.includes(names[index] ?? ''));
  const added = add.map((tool, index) => ({ tool, path: `toolOverrides.add.${index}` }));
  return { tools: [...kept, ...added], issues };
}
