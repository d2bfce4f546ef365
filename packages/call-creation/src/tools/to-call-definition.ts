import type { BaseToolDefinition, CallToolDefinition } from '@calls/api-contract';
import { PARAMETER_LISTS } from './parameters.ts';
import type { ToolAuth } from './security.ts';

export const DEFAULT_TOOL_TIMEOUT = '2.5s';

/** Fills the variables of a text. */
export type RenderText = (text: string) => string;

/**
 * A complete definition as a call has it: overridden parameters are static, defaults are applied, variables of descriptions
 * and static values filled in.
 */
export function toCallDefinition(
  definition: BaseToolDefinition,
  overrides: Readonly<Record<string, unknown>>,
  auth: ToolAuth,
  render: RenderText,
): CallToolDefinition {
  const { http, client, dataConnection, description, staticResponse } = definition;
  const stays = ({ name }: { name: string }): boolean => !Object.hasOwn(overrides, name);
  const overridden = PARAMETER_LISTS.flatMap((list) => definition[list] ?? [])
    .filter((parameter) => !stays(parameter))
    .map(({ name, location }) => ({ name, ...(location && { location }), value: overrides[name] }));
  return {
    ...(description !== undefined && { description: render(description) }),
    dynamicParameters: (definition.dynamicParameters ?? []).filter(stays),
    staticParameters: [...(definition.staticParameters ?? []).filter(stays), ...overridden].map(
      (parameter) => ({
        ...parameter,
        value: renderStrings(parameter.value, render),
      }),
    ),
    automaticParameters: (definition.automaticParameters ?? []).filter(stays),
    timeout: definition.timeout ?? DEFAULT_TOOL_TIMEOUT,
    precomputable: definition.precomputable ?? false,
    defaultReaction: reaction(definition),
    ...(http && {
      http: {
        ...http,
        authHeaders: Object.keys(auth.headers),
        authQueryParams: Object.keys(auth.queryParams),
        ...(auth.callTokenScopes && { callTokenScopes: [...auth.callTokenScopes] }),
      },
    }),
    ...(client && { client }),
    ...(dataConnection && { dataConnection }),
    ...(staticResponse && { staticResponse }),
  };
}

function reaction({ defaultReaction = 'AGENT_REACTION_UNSPECIFIED' }: BaseToolDefinition) {
  return defaultReaction === 'AGENT_REACTION_UNSPECIFIED' ? 'AGENT_REACTION_SPEAKS' : defaultReaction;
}

/** Every text in a JSON value; keys stay. */
function renderStrings(value: unknown, render: RenderText): unknown {
  if (typeof value === 'string') return render(value);
  if (Array.isArray(value)) return value.map((item) => renderStrings(item, render));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderStrings(item, render)]));
}
