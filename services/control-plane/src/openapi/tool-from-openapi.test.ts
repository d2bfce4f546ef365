import { describe, expect, it } from '@jest/globals';
import { definitionIssues } from '@calls/call-lifecycle/creation/tools/definition-issues';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { OpenApiError } from './document.ts';
import { toolFromOpenApi } from './tool-from-openapi.ts';

const YAML = `
openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
servers:
  - url: https://{region}.pets.example.com/v1/
    variables: {region: {default: eu}}
security:
  - apiKey: []
  - login: []
paths:
  /pets/{petId}:
    parameters:
      - {name: petId, in: path, required: true, schema: {type: integer}}
      - {name: trace, in: header, schema: {type: string}}
    post:
      operationId: updatePet
      summary: Updates a pet.
      description: Takes new properties.
      parameters:
        - $ref: '#/components/parameters/Trace'
        - {name: dry, in: query, description: Changes nothing., schema: {type: boolean}}
        - {name: session, in: cookie, schema: {type: string}}
        - {name: Accept, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Pet'}
      responses: {'200': {description: done}}
components:
  parameters:
    Trace: {name: trace, in: header, required: true, schema: {type: string, maxLength: 8}}
  schemas:
    Name: {type: string, nullable: true, example: Rex}
    Pet:
      allOf:
        - type: object
          required: [name]
          properties:
            id: {type: integer, readOnly: true}
            name: {$ref: '#/components/schemas/Name'}
        - properties:
            age: {type: integer, minimum: 0, exclusiveMinimum: true}
  securitySchemes:
    apiKey: {type: apiKey, in: header, name: X-Key}
    login: {type: http, scheme: bearer}
`;

function from(document: unknown) {
  return toolFromOpenApi(Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)));
}

const servers = [{ url: 'https://api.example.com' }];
function withOperation(operation: unknown, more: Record<string, unknown> = {}) {
  return { openapi: '3.1.0', servers, paths: { '/a': { get: operation } }, ...more };
}

describe('toolFromOpenApi', () => {
  it('converts the operation to a tool', async () => {
    const { name, definition } = from(YAML);
    expect(name).toBe('updatePet');
    expect(definition).toEqual({
      modelToolName: 'updatePet',
      description: 'Updates a pet.\n\nTakes new properties.',
      http: { baseUrlPattern: 'https://eu.pets.example.com/v1/pets/{petId}', httpMethod: 'POST' },
      dynamicParameters: [
        { name: 'petId', location: 'PARAMETER_LOCATION_PATH', schema: { type: 'integer' }, required: true },
        {
          name: 'trace',
          location: 'PARAMETER_LOCATION_HEADER',
          schema: { type: 'string', maxLength: 8 },
          required: true,
        },
        {
          name: 'dry',
          location: 'PARAMETER_LOCATION_QUERY',
          schema: { type: 'boolean', description: 'Changes nothing.' },
        },
        {
          name: 'name',
          location: 'PARAMETER_LOCATION_BODY',
          schema: { type: ['string', 'null'] },
          required: true,
        },
        {
          name: 'age',
          location: 'PARAMETER_LOCATION_BODY',
          schema: { type: 'integer', exclusiveMinimum: 0 },
        },
      ],
      requirements: {
        httpSecurityOptions: {
          options: [
            { requirements: { apiKey: { headerApiKey: { name: 'X-Key' } } } },
            { requirements: { login: { httpAuth: { scheme: 'Bearer' } } } },
          ],
        },
      },
    });
    expect(await definitionIssues(definition, '', () => null, inProcessChecksOf('account'))).toEqual([]);
  });

  it('accepts a minimal document of version 3.1', () => {
    expect(from(withOperation({}))).toEqual({
      name: 'get/a',
      definition: {
        modelToolName: 'get_a',
        http: { baseUrlPattern: 'https://api.example.com/a', httpMethod: 'GET' },
      },
    });
  });

  it('limits the length and the characters of names', () => {
    const { name, definition } = from(withOperation({ summary: `Größe ${'x'.repeat(100)}` }));
    expect(name).toHaveLength(40);
    expect(definition.modelToolName).toMatch(/^Gr__e_x{58}$/u);
  });

  it('omits security alternatives that tools do not support, if another alternative remains', () => {
    const components = {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 's' },
        key: { type: 'apiKey', in: 'query', name: 'k' },
        oauth: { type: 'oauth2', flows: {} },
      },
    };
    const security = [{ session: [] }, { key: [], oauth: [] }, {}];
    const { definition } = from(withOperation({ security }, { components }));
    expect(definition.requirements?.httpSecurityOptions?.options).toEqual([
      { requirements: { key: { queryApiKey: { name: 'k' } }, oauth: { httpAuth: { scheme: 'Bearer' } } } },
      {},
    ]);
    expect(() => from(withOperation({ security: [{ session: [] }] }, { components }))).toThrow('security');
  });

  const refer = (to: string) => withOperation({ parameters: [{ $ref: to }] });
  const bodied = (requestBody: unknown) => withOperation({ requestBody });
  const circular = {
    components: { schemas: { A: { properties: { a: { $ref: '#/components/schemas/A' } } } } },
  };
  /** Each schema refers twice to the next one. */
  const levels = Object.fromEntries(
    Array.from({ length: 15 }, (_, level) => {
      const $ref = `#/components/schemas/s${level + 1}`;
      return [`s${level}`, { allOf: [{ $ref }, { $ref }] }];
    }),
  );

  it.each<[string, unknown]>([
    ['JSON or YAML', '{"openapi": '],
    ['JSON or YAML', '[\n'.repeat(50_000)],
    ['version 3.0 or 3.1', '{"swagger": "2.0"}'],
    ['version 3.0 or 3.1', { openapi: '3.2.0' }],
    ['version 3.0 or 3.1', 'just text'],
    ['(got 0)', { openapi: '3.0.0', servers }],
    ['(got 2)', { openapi: '3.0.0', servers, paths: { '/a': { get: {}, post: {} } } }],
    ['absolute http or https URL', { openapi: '3.0.0', paths: { '/a': { get: {} } } }],
    [
      'absolute http or https URL',
      { openapi: '3.0.0', servers: [{ url: '/v1' }], paths: { '/a': { get: {} } } },
    ],
    ['outside itself', refer('https://example.com/parameters.json')],
    ['outside itself', refer('other.yaml#/a')],
    ['without a target', refer('#/components/parameters/none')],
    ['without a target', refer('#/constructor')],
    ['in cookie', withOperation({ parameters: [{ name: 'c', in: 'cookie', required: true }] })],
    [
      'contains itself',
      withOperation(
        { parameters: [{ name: 'a', in: 'query', schema: { $ref: '#/components/schemas/A' } }] },
        circular,
      ),
    ],
    [
      'too large',
      withOperation(
        { requestBody: { $ref: '#/components/schemas/s0' } },
        { components: { schemas: { ...levels, s15: {} } } },
      ),
    ],
    ['not a JSON object', bodied({ required: true, content: { 'text/plain': {} } })],
    [
      'not a JSON object',
      bodied({ required: true, content: { 'application/json': { schema: { type: 'array' } } } }),
    ],
    ['unknown security scheme x', withOperation({ security: [{ x: [] }] })],
  ])('rejects a document with an error that contains "%s"', (reason, document) => {
    expect(() => from(document)).toThrow(OpenApiError);
    expect(() => from(document)).toThrow(reason);
  });

  it('rejects a document with exponentially nested aliases in short time', () => {
    const lines = ['openapi: 3.0.0', 'a: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; i += 1)
      lines.push(
        `b${i}: &a${i} [${Array(9)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    const before = process.threadCpuUsage();
    expect(() => from(lines.join('\n'))).toThrow(OpenApiError);
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
  });
});
