import type { ToolReaction } from '@calls/api-contract/data-messages/tool-results';
import type { CallToolDefinition } from '@calls/api-contract/rest/tool';

const REACTIONS: Record<NonNullable<CallToolDefinition['defaultReaction']>, ToolReaction> = {
  AGENT_REACTION_UNSPECIFIED: 'speaks',
  AGENT_REACTION_SPEAKS: 'speaks',
  AGENT_REACTION_LISTENS: 'listens',
  AGENT_REACTION_SPEAKS_ONCE: 'speaks-once',
};

export function defaultReactionOf({ defaultReaction }: CallToolDefinition): ToolReaction {
  return REACTIONS[defaultReaction ?? 'AGENT_REACTION_UNSPECIFIED'];
}
