import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { SelectedTool, ToolOverrides } from '@calls/api-contract/rest/tool';
import type { Issue } from '@calls/foundation/schema/validator';
import { allowedMediums } from '../request-issues.ts';

/** Merges `request` over `inherited`. Settings that belong together are inherited together or not at all. */
export function overlayRequest(inherited: StartCallRequest, request: StartCallRequest): StartCallRequest {
  const named = withoutUnspecified(request);
  const base = { ...inherited };
  if (named.voice !== undefined || named.externalVoice !== undefined) {
    delete base.voice;
    delete base.externalVoice;
    delete base.voiceOverrides;
  }
  if (named.firstSpeaker !== undefined) delete base.firstSpeakerSettings;
  if (!(allowedMediums(named)?.includes(base.initialOutputMedium) ?? true)) delete base.initialOutputMedium;
  return { ...base, ...named };
}

/** An unspecified enumeration value counts as unset, so that the inherited value applies. */
function withoutUnspecified(request: StartCallRequest): StartCallRequest {
  return Object.fromEntries(
    Object.entries(request).filter(
      ([, value]) => !(typeof value === 'string' && /^[A-Z_]+_UNSPECIFIED$/u.test(value)),
    ),
  );
}

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
