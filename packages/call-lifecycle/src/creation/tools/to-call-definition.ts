import { msToDuration } from '@calls/api-contract/duration';
import {
  DEFAULT_TOOL_TIMEOUT_MS,
  type BaseToolDefinition,
  type CallToolDefinition,
} from '@calls/api-contract/rest/tool';
import { PARAMETER_LISTS } from './parameters.ts';
import type { ToolAuth } from './security.ts';

/**
 * The definition for a call: overridden parameters become static, and defaults are applied.
 */
export function toCallDefinition(
  definition: BaseToolDefinition,
  overrides: Readonly<Record<string, unknown>>,
  auth: ToolAuth,
): CallToolDefinition & { timeout: string } {
  const { http, client, dataConnection, mcp, description, staticResponse } = definition;
  const authNames = {
    authHeaders: [...Object.keys(auth.headers), ...(auth.oauthClient ? ['Authorization'] : [])],
    authQueryParams: Object.keys(auth.queryParams),
  };
  const stays = ({ name }: { name: string }): boolean => !Object.hasOwn(overrides, name);
  const overridden = PARAMETER_LISTS.flatMap((list) => definition[list] ?? [])
    .filter((parameter) => !stays(parameter))
    .map(({ name, location }) => ({ name, ...(location && { location }), value: overrides[name] }));
  return {
    ...(description !== undefined && { description }),
    dynamicParameters: (definition.dynamicParameters ?? []).filter(stays),
    staticParameters: [...(definition.staticParameters ?? []).filter(stays), ...overridden],
    automaticParameters: (definition.automaticParameters ?? []).filter(stays),
    timeout: definition.timeout ?? msToDuration(DEFAULT_TOOL_TIMEOUT_MS),
    precomputable: definition.precomputable ?? false,
    defaultReaction: reaction(definition),
    ...interruption(definition),
    ...(http && {
      http: {
        ...http,
        ...authNames,
        ...(auth.callTokenScopes && { callTokenScopes: [...auth.callTokenScopes] }),
      },
    }),
    ...(client && { client }),
    ...(dataConnection && { dataConnection }),
    ...(mcp && { mcp: { ...mcp, ...authNames } }),
    ...(staticResponse && { staticResponse }),
  };
}

/** Only what differs from the default: media-workers of the previous release reject unknown fields. */
function interruption({ onInterruption, undoTool }: BaseToolDefinition) {
  if (onInterruption !== 'INTERRUPTION_CANCEL' && onInterruption !== 'INTERRUPTION_UNDO') return {};
  return { onInterruption, ...(undoTool !== undefined && { undoTool }) };
}

function reaction({ defaultReaction = 'AGENT_REACTION_UNSPECIFIED' }: BaseToolDefinition) {
  return defaultReaction === 'AGENT_REACTION_UNSPECIFIED' ? 'AGENT_REACTION_SPEAKS' : defaultReaction;
}
