import { Closed } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { defineOperation } from './operation.ts';

export const SchemaQuery = Closed({
  format: Type.Optional(
    Type.Enum(['json', 'yaml'], {
      description: 'Format of the document. Defaults to the one that `Accept` prefers.',
    }),
  ),
  lang: Type.Optional(Type.String({ maxLength: 16, description: 'Ignored: the document is in English.' })),
});

export const getSchema = defineOperation({
  id: 'getSchema',
  method: 'GET',
  path: '/api/schema/',
  tag: 'API description',
  summary: 'Get the OpenAPI document',
  description:
    'Returns the OpenAPI 3.1 description of this API, its webhook requests and data messages, without a key. Without `format`, the `Accept` header decides between JSON and YAML (default).',
  example: { query: { format: 'json' } },
  open: true,
  query: SchemaQuery,
  status: 200,
  otherResponses: [
    { status: 200, mediaType: 'application/vnd.oai.openapi', description: 'The document.' },
    { status: 200, mediaType: 'application/yaml', description: 'The document.' },
    { status: 200, mediaType: 'application/vnd.oai.openapi+json', description: 'The document.' },
    { status: 200, mediaType: 'application/json', description: 'The document.' },
  ],
});

export const schemaOperations = [getSchema];
