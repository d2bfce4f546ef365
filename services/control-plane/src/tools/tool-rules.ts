import { compileValidator, textFaults, Tool, type Fault } from '@calls/api-contract';
import { completeDefinition, definitionFaults, modelNameOf, type UrlRule } from '@calls/call-creation';
import { invalidRequest } from '../http/problem.ts';
import { OpenApiFault } from './openapi/document.ts';
import { toolFromOpenApi, type ToolDraft } from './openapi/tool-from-openapi.ts';

const shape = compileValidator('tool', Tool.Request);

/** What a body that is to be a tool breaks of the rules beyond its schema. */
export function toolFaults(body: unknown, urlRule: UrlRule): Fault[] {
  const definition: unknown =
    typeof body === 'object' && body !== null && 'definition' in body ? body.definition : null;
  return definitionFaults(definition, 'definition', urlRule);
}

/** A valid tool as it is stored. */
export function completeTool({ name, definition }: ToolDraft): ToolDraft {
  return { name, definition: completeDefinition({ modelToolName: modelNameOf(name), ...definition }) };
}

/** The tool of an OpenAPI document, which follows every rule; throws a problem that says why there is none. */
export function toolOfDocument(bytes: Buffer, urlRule: UrlRule): ToolDraft {
  try {
    const draft = toolFromOpenApi(bytes);
    const faults = [...shape.faults(draft), ...textFaults(draft), ...toolFaults(draft, urlRule)];
    if (faults.length === 0) return draft;
    throw invalidRequest('tool that the document describes', faults);
  } catch (thrown) {
    if (!(thrown instanceof OpenApiFault)) throw thrown;
    throw invalidRequest('request body', [{ path: 'file', message: thrown.message }]);
  }
}
