import type { BaseToolDefinition } from '@calls/api-contract/rest/tool';
import type { DynamicParameter } from '@calls/api-contract/rest/tool-parameters';
import { modelNameOf } from '@calls/call-lifecycle/creation/tools/complete-definition';
import { hasMoreValuesThan, MAX_BODY_VALUES } from '@calls/foundation/schema/count-values';
import { isJsonObject } from '@calls/foundation/json-object';
import { listAt, mapAt, OpenApiError, readDocument, resolvedPart, textAt, type JsonMap } from './document.ts';
import { propertiesOf, toJsonSchema } from './json-schema.ts';
import { securityOptions } from './security-options.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const LOCATIONS: Readonly<Record<string, DynamicParameter['location']>> = {
  path: 'PARAMETER_LOCATION_PATH',
  query: 'PARAMETER_LOCATION_QUERY',
  header: 'PARAMETER_LOCATION_HEADER',
};
/** Headers that OpenAPI describes by other means than parameters. */
const OTHER_HEADERS = ['accept', 'content-type', 'authorization'];
const MAX_NAME_LENGTH = 40;
const MAX_DESCRIPTION_LENGTH = 16_384;

export interface ToolDraft {
  name: string;
  definition: BaseToolDefinition;
}

/** The limit of a request body with a tool. */
const MAX_TOOL_CHARACTERS = 1024 * 1024;

/** Like `toolFromOpenApi`, but also throws an OpenApiError if the tool is larger than a request body may be. */
export function boundedToolFromOpenApi(bytes: Buffer): ToolDraft {
  const tool = toolFromOpenApi(bytes);
  if (JSON.stringify(tool).length > MAX_TOOL_CHARACTERS || hasMoreValuesThan(tool, MAX_BODY_VALUES)) {
    throw new OpenApiError('must describe a tool of at most 1 MiB');
  }
  return tool;
}

/**
 * Converts an OpenAPI document with one operation to a tool draft. Throws an OpenApiError. The caller still has to
 * apply the rules for tools.
 */
export function toolFromOpenApi(bytes: Buffer): ToolDraft {
  const document = readDocument(bytes);
  const { path, method, item } = onlyOperation(document);
  const operation = resolvedPart(document, item[method]) as JsonMap;
  const shared = resolvedPart(document, listAt(item, 'parameters') ?? []) as unknown[];
  const title = textAt(operation, 'operationId') ?? textAt(operation, 'summary') ?? `${method}${path}`;
  const description = [textAt(operation, 'summary'), textAt(operation, 'description')].filter((text) => text);
  const security = securityOptions(document, operation);
  const parameters = [...requestParameters(shared, operation), ...bodyParameters(operation)];
  return {
    name: title.trim().slice(0, MAX_NAME_LENGTH),
    definition: {
      modelToolName: modelNameOf(title.trim()),
      ...(description.length > 0 && {
        description: description.join('\n\n').slice(0, MAX_DESCRIPTION_LENGTH),
      }),
      ...(parameters.length > 0 && { dynamicParameters: parameters }),
      ...(security.length > 0 && { requirements: { httpSecurityOptions: { options: security } } }),
      http: { baseUrlPattern: serverUrl(document, item, operation) + path, httpMethod: method.toUpperCase() },
    },
  };
}

function onlyOperation(document: JsonMap): { path: string; method: string; item: JsonMap } {
  const operations = Object.entries(mapAt(document, 'paths')).flatMap(([path, given]) => {
    if (!path.startsWith('/') || !isJsonObject(given)) return [];
    const item = '$ref' in given ? (resolvedPart(document, given) as JsonMap) : given;
    return METHODS.filter((method) => isJsonObject(item[method])).map((method) => ({ path, method, item }));
  });
  const [only] = operations;
  if (!only || operations.length > 1) {
    throw new OpenApiError(`must describe exactly one operation (got ${operations.length})`);
  }
  return only;
}

function serverUrl(document: JsonMap, item: JsonMap, operation: JsonMap): string {
  const servers =
    listAt(operation, 'servers') ?? listAt(item, 'servers') ?? listAt(document, 'servers') ?? [];
  const url = (textAt(servers[0], 'url') ?? '').replaceAll(
    /\{([^{}]+)\}/gu,
    (_place, name: string) => textAt(mapAt(mapAt(servers[0], 'variables'), name), 'default') ?? '',
  );
  if (!/^https?:\/\//iu.test(url)) {
    throw new OpenApiError('must name a server with an absolute http or https URL');
  }
  return url.replace(/\/+$/u, '');
}

/** Parameters of the operation override those of its path with the same name and location. */
function requestParameters(shared: unknown[], operation: JsonMap): DynamicParameter[] {
  const byPlace = new Map<string, JsonMap>();
  for (const parameter of [...shared, ...(listAt(operation, 'parameters') ?? [])].filter(isJsonObject)) {
    byPlace.set(`${textAt(parameter, 'in')} ${textAt(parameter, 'name')}`, parameter);
  }
  return [...byPlace.values()].flatMap((parameter) => {
    const name = textAt(parameter, 'name') ?? '';
    const place = textAt(parameter, 'in') ?? '';
    const required = parameter['required'] === true;
    if (place === 'header' && OTHER_HEADERS.includes(name.toLowerCase())) return [];
    const location = Object.hasOwn(LOCATIONS, place) ? LOCATIONS[place] : undefined;
    if (!location) {
      if (!required) return [];
      throw new OpenApiError(
        `requires the parameter ${name} in ${place}, where tools cannot send parameters`,
      );
    }
    const schema = parameter['schema'] ?? mapAt(mapAt(parameter, 'content'), 'application/json')['schema'];
    return [dynamicParameter(name, location, schema, required, textAt(parameter, 'description'))];
  });
}

/** Parameters from the properties of a JSON body. */
function bodyParameters(operation: JsonMap): DynamicParameter[] {
  const body = mapAt(operation, 'requestBody');
  const content = mapAt(body, 'content');
  const type = Object.keys(content).find((each) => /^application\/(?:[\w.+-]+\+)?json\b/iu.test(each));
  const fields = type === undefined ? null : propertiesOf(mapAt(content, type)['schema']);
  if (fields === null) {
    if (body['required'] !== true) return [];
    throw new OpenApiError('requires a request body that is not a JSON object with properties');
  }
  return Object.entries(fields.properties)
    .filter(([, schema]) => !isJsonObject(schema) || schema['readOnly'] !== true)
    .map(([name, schema]) =>
      dynamicParameter(name, 'PARAMETER_LOCATION_BODY', schema, fields.required.has(name), undefined),
    );
}

function dynamicParameter(
  name: string,
  location: DynamicParameter['location'],
  given: unknown,
  required: boolean,
  description: string | undefined,
): DynamicParameter {
  const converted = toJsonSchema(given);
  const schema = isJsonObject(converted) ? converted : {};
  return {
    name,
    ...(location && { location }),
    schema: { ...(description !== undefined && { description }), ...schema },
    ...(required && { required }),
  };
}
