import type { BaseToolDefinition } from '@calls/api-contract/rest/tool';
import { locationOf } from './parameters.ts';

/** A valid model tool name made from the name of a tool. */
export function modelNameOf(toolName: string): string {
  return toolName.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, 64);
}

/**
 * A valid definition with explicit parameter locations, required path parameters and a normalized method. Defaults of its execution
 * are not filled in.
 */
export function completeDefinition(definition: BaseToolDefinition): BaseToolDefinition {
  const { http, dynamicParameters, staticParameters, automaticParameters } = definition;
  const located = <P extends { name: string }>(parameter: P) => ({
    ...parameter,
    location: locationOf(definition, parameter),
  });
  return {
    ...definition,
    ...(dynamicParameters && {
      dynamicParameters: dynamicParameters.map(located).map((parameter) => ({
        ...parameter,
        ...(parameter.location === 'PARAMETER_LOCATION_PATH' && { required: true }),
      })),
    }),
    ...(staticParameters && { staticParameters: staticParameters.map(located) }),
    ...(automaticParameters && { automaticParameters: automaticParameters.map(located) }),
    ...(http?.httpMethod !== undefined && { http: { ...http, httpMethod: http.httpMethod.toUpperCase() } }),
  };
}
