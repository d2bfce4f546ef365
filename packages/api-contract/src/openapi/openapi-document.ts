import type { TSchema } from 'typebox';
import type { AnyOperation } from '../operations/operation.ts';
import { ApiError } from '../rest/common.ts';
import { ComponentSchemas, type JsonSchema } from './component-schemas.ts';
import { pathParameterForm } from './path-parameters.ts';

export interface OpenApiInfo {
  title: string;
  version: string;
  description: string;
  /** Where the API is: the start of every path. */
  serverUrl: string;
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: Record<string, unknown>;
  servers: { url: string }[];
  security: Record<string, string[]>[];
  tags: { name: string }[];
  paths: Record<string, Record<string, JsonSchema>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, JsonSchema>;
    securitySchemes: Record<string, JsonSchema>;
  };
}

const JSON_TYPE = 'application/json';

const KEYS: Record<string, string[]>[] = [{ apiKey: [] }, { unsafeApiKey: [] }];

/** What refusals mean, by status; those without a text of their own an operation has to explain. */
const REFUSALS: Readonly<Record<number, readonly [name: string, description: string]>> = {
  400: ['InvalidRequest', 'The query or the body breaks a rule; every fault is listed with its path.'],
  401: ['Unauthorized', 'No key, call token or signature, or one that is not valid.'],
  402: ['FreeTimeExhausted', 'Nothing is left of the free time; `detail` says how much live calls hold.'],
  403: ['Forbidden', 'The account does not have the feature, or the call token not the scope.'],
  404: ['NotFound', 'It does not exist, or belongs to another account.'],
  409: ['Conflict', 'It conflicts with the state of what is there.'],
  413: ['TooLarge', 'The request body is too large.'],
  415: ['UnsupportedMediaType', 'The request body is of another media type.'],
  416: ['RangeNotSatisfiable', 'The range is beyond the content.'],
  422: ['NotPossible', 'The request is valid, and not possible here and now.'],
  425: ['TooEarly', 'It is not there yet; `Retry-After` says when to ask again.'],
  429: ['LimitExceeded', 'Too many; `Retry-After` says when to try again, `code` which limit it was.'],
  431: ['HeadersTooLarge', 'The headers of the request are larger than 16 KiB.'],
  503: ['Unavailable', 'A part of the service is away; `Retry-After` says when to try again.'],
};

/** The OpenAPI 3.1 description of the operations, made from the schemas that validate them. */
export function openApiDocument(operations: readonly AnyOperation[], info: OpenApiInfo): OpenApiDocument {
  const schemas = new ComponentSchemas();
  const error = schemas.reference(ApiError);
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    const here = (paths[operation.path] ??= {});
    here[operation.method.toLowerCase()] = describe(operation, schemas);
  }
  const { serverUrl, ...about } = info;
  return {
    openapi: '3.1.0',
    info: about,
    servers: [{ url: serverUrl }],
    security: KEYS,
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.all,
      responses: Object.fromEntries(
        Object.values(REFUSALS).map(([name, description]) => [
          name,
          { description, content: { [JSON_TYPE]: { schema: error } } },
        ]),
      ),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        unsafeApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Unsafe-API-Key',
          description: 'The same key from a web page, for demonstrations only: keys must not reach clients.',
        },
        callToken: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Svc-Call-Token',
          description:
            'The token of a call, as its tools get it: for operations of this call, within its scopes, until the call ends.',
        },
      },
    },
  };
}

function describe(operation: AnyOperation, schemas: ComponentSchemas): JsonSchema {
  const { body, otherBodies } = operation;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    ...(operation.deprecated && { deprecated: true }),
    ...(operation.open && { security: [] }),
    ...(operation.callScope && { security: [...KEYS, { callToken: [operation.callScope] }] }),
    parameters: [...pathParameters(operation), ...queryParameters(operation, schemas)],
    ...((body ?? otherBodies) && { requestBody: requestBody(operation, schemas) }),
    responses: { ...successes(operation, schemas), ...refusals(operation) },
  };
}

function pathParameters({ path }: AnyOperation): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: pathParameterForm(name).schema,
  }));
}

function queryParameters({ query }: AnyOperation, schemas: ComponentSchemas): JsonSchema[] {
  if (!query || !('properties' in query)) return [];
  const required = 'required' in query ? (query.required as string[]) : [];
  return Object.entries(query.properties as Record<string, TSchema>).map(([name, property]) => {
    const schema = schemas.inline(property);
    const { description, ...rest } = schema;
    return {
      name,
      in: 'query',
      ...(description !== undefined && { description }),
      ...(required.includes(name) && { required: true }),
      ...(rest['type'] === 'object' && { style: 'deepObject', explode: true }),
      schema: rest,
    };
  });
}

function requestBody({ body, otherBodies = {} }: AnyOperation, schemas: ComponentSchemas): JsonSchema {
  const forms = Object.entries({ ...(body && { [JSON_TYPE]: body }), ...otherBodies });
  const isRequired = body !== undefined && 'required' in body && (body.required as string[]).length > 0;
  return {
    ...(isRequired && { required: true }),
    content: Object.fromEntries(forms.map(([type, schema]) => [type, { schema: schemas.reference(schema) }])),
  };
}

interface SuccessAnswer extends JsonSchema {
  description: string;
  content?: Record<string, unknown>;
}

function successes(
  operation: AnyOperation,
  schemas: ComponentSchemas,
): Record<string, JsonSchema | undefined> {
  const { status, response: answer, otherResponses: otherAnswers = [], summary } = operation;
  const answers: Record<string, SuccessAnswer | undefined> = {};
  if (answer) {
    answers[status] = {
      description: summary,
      content: { [JSON_TYPE]: { schema: schemas.reference(answer) } },
    };
  }
  for (const other of otherAnswers) {
    const there = (answers[other.status] ??= { description: other.description });
    if (other.mediaType !== undefined) there.content = { ...there.content, [other.mediaType]: {} };
  }
  if (Object.keys(answers).length === 0) answers[status] = { description: 'Done.' };
  return answers;
}

function refusals({
  path,
  body,
  otherBodies,
  open,
  callScope,
  errorStatuses = [],
}: AnyOperation): Record<string, JsonSchema> {
  const statuses = new Set([
    400,
    431,
    ...(open ? [] : [401, 429, 503]),
    ...(callScope ? [403] : []),
    ...errorStatuses,
  ]);
  if (path.includes('{')) statuses.add(404);
  if (body ?? otherBodies) for (const status of [413, 415]) statuses.add(status);
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const refusal = REFUSALS[status];
      if (!refusal) throw new Error(`no description of status ${status}, which ${path} may answer`);
      return [String(status), { $ref: `#/components/responses/${refusal[0]}` }];
    }),
  );
}
