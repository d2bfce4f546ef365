import { Type } from 'typebox';
import { Closed } from '../rest/common.ts';
import { defineOperation } from './operation.ts';

export const SchemaQuery = Closed({
  format: Type.Optional(Type.Enum(['json', 'yaml'])),
  lang: Type.Optional(Type.String({ maxLength: 16, description: 'Ignored: the description is in English.' })),
});

export const getSchema = defineOperation({
  id: 'getSchema',
  method: 'GET',
  path: '/api/schema/',
  tag: 'Description',
  summary: 'Gets this description of the API: OpenAPI 3.1, in YAML or JSON.',
  description: 'Without `format`, as `Accept` says; YAML where that leaves it open.',
  open: true,
  query: SchemaQuery,
  status: 200,
  otherResponses: [
    { status: 200, mediaType: 'application/vnd.oai.openapi', description: 'The description.' },
    { status: 200, mediaType: 'application/yaml', description: 'The description.' },
    { status: 200, mediaType: 'application/vnd.oai.openapi+json', description: 'The description.' },
    { status: 200, mediaType: 'application/json', description: 'The description.' },
  ],
});

export const schemaOperations = [getSchema];
