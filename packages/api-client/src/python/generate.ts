import { readFile } from 'node:fs/promises';
import { openApiDocument } from '@calls/api-contract/openapi/openapi-document';
import { operations } from '@calls/api-contract/operations';
import { API_INFO } from '../api-info.ts';

const RUNTIME = new URL('runtime.py', import.meta.url);
const JSON_TYPE = 'application/json';
/** Sent without an end, so not a method that returns. */
const STREAM_TYPE = 'text/event-stream';
const KEYWORDS = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  patternProperties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema }>;

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  deprecated?: boolean;
  parameters: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

/**
 * Generates the Python client (3.11 or newer, no dependencies) from the OpenAPI document: a type for each schema, and
 * a method of `Client` for each operation besides streams. Throws for schemas that it cannot express.
 */
export async function generatePython(): Promise<string> {
  const document = openApiDocument(operations, API_INFO);
  const schemas = document.components.schemas as Record<string, Schema>;
  const runtime = await readFile(RUNTIME, 'utf8');
  const types = Object.entries(schemas).map(([name, schema]) =>
    schema.anyOf ? typeAlias(name, schema) : typedDict(name, schema),
  );
  const methods = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations as unknown as Record<string, Operation>)
      .filter(([, operation]) => !isStream(operation))
      .map(([method, operation]) => methodOf(method.toUpperCase(), path, operation)),
  );
  const client = `class Client(_Requests):\n${docstring('The REST API. Methods raise ApiError.', 4)}\n${methods.join('\n')}`;
  return [
    `"""Client of the Calls REST API, version ${String(document.info['version'])}. Generated from its OpenAPI document."""\n`,
    runtime,
    ...types,
    client,
  ].join('\n\n');
}

function isStream({ responses }: Operation): boolean {
  return Object.values(responses).some(({ content = {} }) => STREAM_TYPE in content);
}

/** In quotes, because it may name types that follow. */
function typeAlias(name: string, schema: Schema): string {
  return `${name}: TypeAlias = ${text(typeOf(schema))}\n${docstring(schema.description ?? name, 0)}`;
}

function typedDict(name: string, { type, description = '', properties = {}, required = [] }: Schema): string {
  if (type !== 'object') throw new Error(`schema ${name}: expected an object`);
  const fields = Object.entries(properties).map(([field, schema]) => {
    const isRequired = required.includes(field);
    return { field, schema, hint: isRequired ? typeOf(schema) : `NotRequired[${typeOf(schema)}]` };
  });
  if (fields.some(({ field }) => !isIdentifier(field))) {
    const entries = fields.map(({ field, hint }) => `    ${text(field)}: ${text(hint)},\n`).join('');
    return `${name} = TypedDict(${text(name)}, {\n${entries}})\n`;
  }
  const lines = fields.map(
    ({ field, hint, schema }) =>
      `    ${field}: ${hint}\n${schema.description ? docstring(schema.description, 4) : ''}`,
  );
  return `class ${name}(TypedDict):\n${docstring(description || name, 4)}\n${lines.join('')}`;
}

function methodOf(method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, deprecated, parameters, requestBody, responses } = operation;
  const inPath = parameters.filter((each) => each.in === 'path');
  const inQuery = parameters.filter((each) => each.in === 'query');
  const inHeader = parameters.filter((each) => each.in === 'header');
  const byName = [...inQuery, ...inHeader];
  const body = requestBody?.content[JSON_TYPE]?.schema;
  const isOptional = requestBody?.required !== true;
  const named = byName.map(({ name, schema, required = false }) => {
    const hint = typeOf(schema);
    return `${argument(name)}: ${required ? hint : `${hint} | None = None`}`;
  });
  const declared = [
    'self',
    ...inPath.map(({ name }) => `${argument(name)}: str`),
    ...(body ? [`body: ${typeOf(body)}${isOptional ? ' | None = None' : ''}`] : []),
    ...(named.length > 0 ? ['*', ...named] : []),
  ];
  const given = [
    text(method),
    inPath.length === 0
      ? text(path)
      : `f${text(path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => `{_segment(${argument(name)})}`))}`,
    ...(inQuery.length > 0 ? [`query=${dictOf(inQuery)}`] : []),
    ...(body ? [isOptional ? 'body=body or {}' : 'body=body'] : []),
    ...(inHeader.length > 0 ? [`headers=${dictOf(inHeader)}`] : []),
  ].join(', ');
  const filters = byName.map(({ name, description: about = '' }) => `\`${argument(name)}\`: ${about}`);
  const about = [`${summary}. ${description}`, ...filters, ...(deprecated ? ['Deprecated.'] : [])].join(
    '\n\n',
  );
  const { hint, call } = resultOf(responses, given);
  return `    def ${snakeCase(operationId)}(${declared.join(', ')}) -> ${hint}:\n${docstring(about, 8)}        ${call}\n`;
}

function dictOf(parameters: readonly Parameter[]): string {
  return `{${parameters.map(({ name }) => `${text(name)}: ${argument(name)}`).join(', ')}}`;
}

function resultOf(responses: Operation['responses'], given: string): { hint: string; call: string } {
  const content = Object.entries(responses).flatMap(([status, response]) =>
    status.startsWith('2') ? Object.entries(response.content ?? {}) : [],
  );
  const json = content.find(([type]) => type === JSON_TYPE);
  if (json) return { hint: typeOf(json[1].schema ?? {}), call: `return self._json(${given})` };
  // A redirect leads to a download.
  if (content.length > 0 || '302' in responses) return { hint: 'bytes', call: `return self._send(${given})` };
  return { hint: 'None', call: `self._send(${given})` };
}

/** The type hint of a schema. */
function typeOf(schema: Schema): string {
  const { $ref, type, anyOf, items, patternProperties, additionalProperties } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' | ');
  if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
  if ('const' in schema) return `Literal[${literal(schema.const)}]`;
  switch (type) {
    case undefined:
      return 'Any';
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `list[${typeOf(items ?? {})}]`;
    case 'object': {
      const [values = additionalProperties] = Object.values(patternProperties ?? {});
      return `dict[str, ${typeof values === 'object' ? typeOf(values) : 'Any'}]`;
    }
    default:
      throw new Error(`unsupported schema type ${type}`);
  }
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : JSON.stringify(value);
}

function text(value: string): string {
  return JSON.stringify(value);
}

function docstring(about: string, indent: number): string {
  const margin = ' '.repeat(indent);
  const lines = about.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/u, '" ').split('\n');
  return `${margin}"""${lines.map((line) => line.trim()).join(`\n${margin}`)}"""\n`.replaceAll(/^ +$/gmu, '');
}

/** `pageSize` → `page_size`; names that Python reserves get an underscore. */
function argument(name: string): string {
  const snake = snakeCase(name);
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
}

function snakeCase(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])[A-Z]/gu, '_$&')
    .replaceAll('-', '_')
    .toLowerCase();
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_]\w*$/u.test(name) && !KEYWORDS.has(name);
}
