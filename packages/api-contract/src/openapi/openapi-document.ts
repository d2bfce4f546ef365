import type { TSchema } from 'typebox';
import { ClientMessage } from '../data-messages/client-messages.ts';
import { ServerMessage } from '../data-messages/server-messages.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { ApiError } from '../rest/common.ts';
import { ComponentSchemas, type JsonSchema } from './component-schemas.ts';
import { ERROR_RESPONSES } from './error-responses.ts';
import { openResponses } from './open-responses.ts';
import { pathParameterForm } from './path-parameters.ts';
import { describeWebhooks } from './webhook-requests.ts';

export interface OpenApiInfo {
  title: string;
  version: string;
  description: string;
  /** Base URL of the API. */
  serverUrl: string;
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: Record<string, unknown>;
  servers: { url: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, JsonSchema>>;
  webhooks?: Record<string, Record<string, JsonSchema>>;
  /** Schemas of the messages between a call and its clients. */
  'x-data-messages'?: { fromService: JsonSchema; fromClient: JsonSchema };
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, JsonSchema>;
    securitySchemes: Record<string, JsonSchema>;
  };
}

const JSON_TYPE = 'application/json';

const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A new value for each request, such as a UUID. A retry with the same value gets what the first request created.',
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

const KEYS: Record<string, string[]>[] = [{ apiKey: [] }, { unsafeApiKey: [] }];

/** What an API has besides operations. */
interface ApiTraits {
  /** How requests authenticate. */
  readonly security: Record<string, string[]>[];
  readonly securitySchemes: Record<string, JsonSchema>;
  /** Keys have roles: every operation except GET may fail with 403. */
  readonly hasRoles: boolean;
  /** Calls have data messages and webhook events. */
  readonly hasCalls: boolean;
}

export const ACCOUNT_API: ApiTraits = {
  security: KEYS,
  hasRoles: true,
  hasCalls: true,
  securitySchemes: {
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'The API key: 8 characters, a full stop and 32 characters.',
    },
    unsafeApiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Unsafe-API-Key',
      description: 'The API key, for local demonstrations in web pages. Keys must never reach clients.',
    },
    callToken: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Svc-Call-Token',
      description:
        'The token that tools of a call receive. Valid for operations of this call within its scopes, until the call ends.',
    },
  },
};

export const ADMIN_API: ApiTraits = {
  security: [{ adminToken: [] }],
  hasRoles: false,
  hasCalls: false,
  securitySchemes: {
    adminToken: { type: 'http', scheme: 'bearer', description: 'A token whose hash is in `ADMIN_TOKENS`.' },
  },
};

/** Description of each group of operations. */
const TAGS: Readonly<Record<string, string>> = {
  Calls: 'Real-time voice conversations between a user and an AI agent.',
  'Deleted calls': 'Records that remain of deleted calls.',
  Agents: 'Named call templates with versions.',
  'Scheduled batches': 'Calls of an agent that are created within a time window.',
  Tools: 'What agents can do besides talking.',
  Voices: 'The catalogue of text-to-speech voices.',
  Models: 'Language models that calls can use.',
  Engines: 'Speech and language engines of the installation.',
  Corpora: 'Stores of texts that agents can search.',
  Webhooks: 'Subscriptions to events of calls, and their deliveries.',
  'Call throttles': 'Named limits for the creation of calls.',
  'Test runs': 'Tests of agents with simulated callers.',
  'API keys': 'Keys that authenticate requests.',
  Accounts: 'The account, its billing details and its provider keys.',
  Usage: 'Statistics about calls and billed minutes.',
  Telephony: 'Credentials of telephony providers, and their webhook.',
  SIP: 'Incoming calls by SIP, and registrations at other servers.',
  'API description': 'This description, for programs.',
  'Audit log': 'What administrators did.',
};

/** The OpenAPI 3.1 document, generated from the schemas that validate the operations. */
export function openApiDocument(
  operations: readonly AnyOperation[],
  info: OpenApiInfo,
  { security, securitySchemes, hasRoles, hasCalls } = ACCOUNT_API,
): OpenApiDocument {
  const schemas = new ComponentSchemas();
  const errorSchema = schemas.reference(ApiError);
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    const here = (paths[operation.path] ??= {});
    here[operation.method.toLowerCase()] = describe(operation, schemas, hasRoles);
  }
  const ofCalls = hasCalls && {
    webhooks: describeWebhooks(schemas),
    'x-data-messages': {
      fromService: schemas.reference(ServerMessage),
      fromClient: schemas.reference(ClientMessage),
    },
  };
  const references = JSON.stringify(paths).matchAll(/#\/components\/responses\/(\w+)/gu);
  const used = new Set([...references].map(([, name = '']) => name));
  const { serverUrl, ...about } = info;
  const sent = ofCalls ? [ofCalls.webhooks, ofCalls['x-data-messages'].fromService] : [];
  const open = openResponses(paths, schemas.all, [errorSchema, ...sent]);
  return {
    openapi: '3.1.0',
    info: {
      ...about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of this installation', url: serverUrl },
    },
    servers: [{ url: serverUrl }],
    security,
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => {
      const description = TAGS[name];
      if (description === undefined) throw new Error(`no description of the tag ${name}`);
      return { name, description };
    }),
    paths: open.paths,
    ...ofCalls,
    components: {
      schemas: open.schemas,
      responses: {
        ...(used.has('NotModified') && { NotModified: NOT_MODIFIED }),
        ...Object.fromEntries(
          Object.values(ERROR_RESPONSES)
            .filter(({ name }) => used.has(name))
            .map(({ name, description, example }) => [
              name,
              { description, content: { [JSON_TYPE]: { schema: errorSchema, example } } },
            ]),
        ),
      },
      securitySchemes,
    },
  };
}

function describe(operation: AnyOperation, schemas: ComponentSchemas, hasRoles: boolean): JsonSchema {
  const { body, otherBodies } = operation;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    ...(operation.deprecated && { deprecated: true }),
    ...(operation.open && { security: [] }),
    ...(operation.callScope && { security: [...KEYS, { callToken: [operation.callScope] }] }),
    parameters: [
      ...pathParameters(operation),
      ...queryParameters(operation, schemas),
      ...(operation.idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...((body ?? otherBodies) && { requestBody: requestBody(operation, schemas) }),
    responses: { ...successResponses(operation, schemas), ...errorResponses(operation, hasRoles) },
  };
}

function pathParameters({ path }: AnyOperation): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => {
    const { description, example, schema } = pathParameterForm(name);
    return { name, in: 'path', required: true, description, example, schema };
  });
}

function queryParameters({ query, example }: AnyOperation, schemas: ComponentSchemas): JsonSchema[] {
  if (!query || !('properties' in query)) return [];
  const required = 'required' in query ? (query.required as string[]) : [];
  return Object.entries(query.properties as Record<string, TSchema>).map(([name, property]) => {
    const { description, ...schema } = schemas.inline(property);
    return {
      name,
      in: 'query',
      description,
      ...(required.includes(name) && { required: true }),
      ...(schema['type'] === 'object' && { style: 'deepObject', explode: true }),
      ...(example.query && Object.hasOwn(example.query, name) && { example: example.query[name] }),
      schema,
    };
  });
}

function requestBody(
  { body, otherBodies = {}, example }: AnyOperation,
  schemas: ComponentSchemas,
): JsonSchema {
  const forms = Object.entries({ ...(body && { [JSON_TYPE]: body }), ...otherBodies });
  const isRequired = body !== undefined && 'required' in body && (body.required as string[]).length > 0;
  return {
    ...(isRequired && { required: true }),
    content: Object.fromEntries(
      forms.map(([type, schema]) => [
        type,
        {
          schema: schemas.reference(schema),
          ...(type === JSON_TYPE && example.body !== undefined && { example: example.body }),
        },
      ]),
    ),
  };
}

interface SuccessResponse extends JsonSchema {
  content?: Record<string, unknown>;
}

const NOT_MODIFIED = { description: '`If-None-Match` has the `ETag` of the current response.' };

const SUCCESSES: Readonly<Record<number, string>> = { 200: 'OK.', 201: 'Created.', 204: 'No content.' };

function successResponses(
  operation: AnyOperation,
  schemas: ComponentSchemas,
): Record<string, SuccessResponse> {
  const { status, response: schema, otherResponses = [], example } = operation;
  const responses: Record<string, SuccessResponse> = {};
  const description = SUCCESSES[status] ?? 'OK.';
  if (schema) {
    const content = { [JSON_TYPE]: { schema: schemas.reference(schema), example: example.response } };
    responses[status] = { description, content };
    if (operation.method === 'GET') responses[304] = { $ref: '#/components/responses/NotModified' };
  }
  for (const other of otherResponses) {
    const response = (responses[other.status] ??= { description: other.description });
    if (other.mediaType !== undefined) response.content = { ...response.content, [other.mediaType]: {} };
  }
  return Object.keys(responses).length > 0 ? responses : { [status]: { description } };
}

function errorResponses(operation: AnyOperation, hasRoles: boolean): Record<string, JsonSchema> {
  const { method, path, body, otherBodies, open, callScope, errorStatuses = [] } = operation;
  const statuses = new Set([
    400,
    431,
    ...(open ? [] : [401, 429, 503]),
    ...(callScope || (hasRoles && !open && method !== 'GET') ? [403] : []),
    ...(path.includes('{') ? [404] : []),
    ...((body ?? otherBodies) ? [413, 415] : []),
    ...errorStatuses,
  ]);
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const known = ERROR_RESPONSES[status];
      if (!known) throw new Error(`no description of error status ${status} of ${path}`);
      return [String(status), { $ref: `#/components/responses/${known.name}` }];
    }),
  );
}
