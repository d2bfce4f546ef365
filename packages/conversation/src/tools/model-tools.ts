import type { CallToolSpec } from '@calls/api-contract/call-spec';
import type { ModelTool } from '../ports/language-model.ts';

/** Converts tools for the model, with only the parameters whose values it chooses. */
export function modelToolsOf(tools: readonly CallToolSpec[]): ModelTool[] {
  return tools.map(({ name, definition }) => {
    const parameters = definition.dynamicParameters ?? [];
    return {
      name,
      description: definition.description ?? '',
      parameters: {
        type: 'object',
        properties: Object.fromEntries(parameters.map((each) => [each.name, each.schema ?? {}])),
        required: parameters.filter(({ required }) => required === true).map((each) => each.name),
      },
    };
  });
}
