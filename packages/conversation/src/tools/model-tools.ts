import type { CallToolSpec } from '@calls/api-contract/call-spec';
import type { ModelTool } from '../ports/language-model.ts';

/** Tools as the model is told of them: only parameters that it chooses the values of. */
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
