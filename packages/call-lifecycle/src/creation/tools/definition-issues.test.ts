import { describe, expect, it } from '@jest/globals';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { completeDefinition, modelNameOf } from './complete-definition.ts';
import { definitionIssues } from './definition-issues.ts';

const http = { baseUrlPattern: 'https://api.example.com/users/{id}', httpMethod: 'post' };
const id = { name: 'id', schema: { type: 'string' } };
const tool = { http, dynamicParameters: [id] };
const QUERY = 'PARAMETER_LOCATION_QUERY';
const BODY = 'PARAMETER_LOCATION_BODY';
const PATH = 'PARAMETER_LOCATION_PATH';
const HEADER = 'PARAMETER_LOCATION_HEADER';
const CANCEL = 'INTERRUPTION_CANCEL';
const UNDO = 'INTERRUPTION_UNDO';

const urlRule = (url: URL): string | null => (url.hostname === 'forbidden.example' ? 'is forbidden' : null);
const paths = async (definition: unknown) => {
  const issues = await definitionIssues(definition, 'definition', urlRule, inProcessChecksOf('account'));
  return issues.map(({ path }) => path);
};
const security = (options: unknown[]) => ({ requirements: { httpSecurityOptions: { options } } });
const url = (baseUrlPattern: string) => ({ http: { ...http, baseUrlPattern } });

describe('definitionIssues', () => {
  it.each([
    [tool],
    [{ client: {} }],
    [{ client: {}, onInterruption: UNDO, undoTool: 'cancel' }],
    [{ ...tool, onInterruption: CANCEL, undoTool: 'cancel' }],
    [{ ...tool, onInterruption: 'INTERRUPTION_CONTINUE', staticResponse: { responseText: 'Sent.' } }],
    [{ mcp: { url: 'https://example.com/mcp' }, onInterruption: CANCEL }],
    [{ dataConnection: {}, timeout: '40s', staticParameters: [{ name: 'a', value: null }] }],
    [
      {
        http: { baseUrlPattern: 'http://api.example.com:8080/a/{x}/b/{y}?fixed=1', httpMethod: 'GET' },
        dynamicParameters: [
          { name: 'x', location: PATH },
          { name: 'z', location: QUERY },
        ],
        staticParameters: [{ name: 'y', location: PATH, value: 3 }],
        automaticParameters: [{ name: 'X-Call', location: HEADER, knownValue: 'KNOWN_PARAM_CALL_ID' }],
        requirements: { requiredParameterOverrides: ['x', 'y'] },
      },
    ],
    [{ ...tool, ...security([{ requirements: { a: { headerApiKey: { name: 'X-Key' } } } }, {}]) }],
  ])('accepts %j', async (definition) => {
    expect(await paths(definition)).toEqual([]);
  });

  it.each<[string, string, unknown]>([
    ['no implementation', 'definition', {}],
    ['two implementations', 'definition', { client: {}, dataConnection: {} }],
    [
      'a client tool with a query parameter',
      'definition.dynamicParameters.0.location',
      { client: {}, dynamicParameters: [{ name: 'a', location: QUERY }] },
    ],
    [
      'a data connection tool with a header',
      'definition.automaticParameters.0.location',
      {
        dataConnection: {},
        automaticParameters: [{ name: 'a', location: HEADER, knownValue: 'KNOWN_PARAM_CALL_ID' }],
      },
    ],
    [
      'a name shared by two parameters of different lists',
      'definition.staticParameters.0.name',
      { ...tool, staticParameters: [{ name: 'id', location: BODY, value: 1 }] },
    ],
    [
      'a duplicate name in one list',
      'definition.dynamicParameters.1.name',
      { client: {}, dynamicParameters: [{ name: 'a' }, { name: 'a' }] },
    ],
    ['no method', 'definition.http.httpMethod', { ...tool, http: { baseUrlPattern: http.baseUrlPattern } }],
    ['an unknown method', 'definition.http.httpMethod', { ...tool, http: { ...http, httpMethod: 'TRACE' } }],
    ['no URL', 'definition.http.baseUrlPattern', { http: { httpMethod: 'GET' } }],
    [
      'a URL scheme other than HTTP and HTTPS',
      'definition.http.baseUrlPattern',
      { ...tool, ...url('ftp://api.example.com/{id}') },
    ],
    ['an invalid URL', 'definition.http.baseUrlPattern', { ...tool, ...url('https://:/{id}') }],
    [
      'a placeholder in the host',
      'definition.http.baseUrlPattern',
      { ...tool, ...url('https://{id}.example.com/') },
    ],
    [
      'a placeholder in the query',
      'definition.http.baseUrlPattern',
      { ...tool, ...url('https://example.com/?a={id}') },
    ],
    [
      'an unpaired brace',
      'definition.http.baseUrlPattern',
      { ...tool, ...url('https://example.com/{id}/{') },
    ],
    [
      'credentials in the URL',
      'definition.http.baseUrlPattern',
      { ...tool, ...url('https://me:secret@example.com/{id}') },
    ],
    [
      'a URL that the rule forbids',
      'definition.http.baseUrlPattern',
      { ...tool, ...url('https://forbidden.example/{id}') },
    ],
    ['a placeholder without a parameter', 'definition.http.baseUrlPattern', { http }],
    [
      'a path parameter without a placeholder',
      'definition.dynamicParameters.1.location',
      { ...tool, dynamicParameters: [id, { name: 'b', location: PATH }] },
    ],
    ...['GET', 'HEAD', 'delete'].map((httpMethod): [string, string, unknown] => [
      `a body with ${httpMethod}`,
      'definition.dynamicParameters.1.location',
      { http: { ...http, httpMethod }, dynamicParameters: [id, { name: 'b', location: BODY }] },
    ]),
    [
      'an invalid header name',
      'definition.dynamicParameters.1.name',
      { ...tool, dynamicParameters: [id, { name: 'a b', location: HEADER }] },
    ],
    [
      'a header reserved for the service',
      'definition.dynamicParameters.1.name',
      { ...tool, dynamicParameters: [id, { name: 'x-svc-call-id', location: HEADER }] },
    ],
    [
      'an invalid schema',
      'definition.dynamicParameters.0.schema',
      { client: {}, dynamicParameters: [{ name: 'a', schema: { type: 'text' } }] },
    ],
    [
      'a remote schema',
      'definition.dynamicParameters.0.schema',
      { client: {}, dynamicParameters: [{ name: 'a', schema: { $ref: 'https://example.com' } }] },
    ],
    [
      'a static parameter without a value',
      'definition.staticParameters.0.value',
      { client: {}, staticParameters: [{ name: 'a' }] },
    ],
    [
      'an automatic parameter without a value',
      'definition.automaticParameters.0.knownValue',
      { client: {}, automaticParameters: [{ name: 'a' }] },
    ],
    [
      'an unspecified automatic value',
      'definition.automaticParameters.0.knownValue',
      { client: {}, automaticParameters: [{ name: 'a', knownValue: 'KNOWN_PARAM_UNSPECIFIED' }] },
    ],
    ['an undoTool without onInterruption', 'definition.undoTool', { client: {}, undoTool: 'cancel' }],
    ['INTERRUPTION_UNDO without an undoTool', 'definition.undoTool', { client: {}, onInterruption: UNDO }],
    [
      'an undoTool of a precomputable tool',
      'definition.undoTool',
      { ...tool, onInterruption: CANCEL, undoTool: 'cancel', precomputable: true },
    ],
    [
      'an undoTool of an MCP server',
      'definition.undoTool',
      { mcp: { url: 'https://example.com/mcp' }, onInterruption: CANCEL, undoTool: 'cancel' },
    ],
    [
      'INTERRUPTION_UNDO of an MCP server',
      'definition.onInterruption',
      { mcp: { url: 'https://example.com/mcp' }, onInterruption: UNDO, undoTool: 'cancel' },
    ],
    [
      'INTERRUPTION_CANCEL of a client tool',
      'definition.onInterruption',
      { client: {}, onInterruption: CANCEL },
    ],
    [
      'INTERRUPTION_CANCEL of a data connection tool',
      'definition.onInterruption',
      { dataConnection: {}, onInterruption: CANCEL, undoTool: 'cancel' },
    ],
    [
      'INTERRUPTION_CANCEL of a tool with a static response',
      'definition.onInterruption',
      { ...tool, onInterruption: CANCEL, staticResponse: { responseText: 'It is on its way.' } },
    ],
    ['a timeout of zero', 'definition.timeout', { client: {}, timeout: '0s' }],
    ['a negative timeout', 'definition.timeout', { client: {}, timeout: '-1s' }],
    ['a timeout above the maximum', 'definition.timeout', { client: {}, timeout: '40.001s' }],
    [
      'a required override of an unknown parameter',
      'definition.requirements.requiredParameterOverrides.1',
      { ...tool, requirements: { requiredParameterOverrides: ['id', 'x'] } },
    ],
    [
      'security options of a client tool',
      'definition.requirements.httpSecurityOptions',
      { client: {}, ...security([]) },
    ],
    [
      'two secrets in one header',
      'definition.requirements.httpSecurityOptions.options.0.requirements.b',
      {
        ...tool,
        ...security([
          {
            requirements: {
              a: { headerApiKey: { name: 'authorization' } },
              b: { httpAuth: { scheme: 'Bearer' } },
            },
          },
        ]),
      },
    ],
    [
      'an OAuth client of an HTTP tool',
      'definition.requirements.httpSecurityOptions.options.0.requirements.a.oauthClient',
      { ...tool, ...security([{ requirements: { a: { oauthClient: { clientId: 'c' } } } }]) },
    ],
    [
      'a token endpoint without TLS',
      'definition.requirements.httpSecurityOptions.options.0.requirements.a.oauthClient.tokenUrl',
      {
        mcp: { url: 'https://example.com/mcp' },
        ...security([
          { requirements: { a: { oauthClient: { clientId: 'c', tokenUrl: 'http://example.com/token' } } } },
        ]),
      },
    ],
    [
      'an OAuth client and a token in one header',
      'definition.requirements.httpSecurityOptions.options.0.requirements.b',
      {
        mcp: { url: 'https://example.com/mcp' },
        ...security([
          { requirements: { a: { oauthClient: { clientId: 'c' } }, b: { httpAuth: { scheme: 'Bearer' } } } },
        ]),
      },
    ],
    [
      'a secret in a header reserved for the service',
      'definition.requirements.httpSecurityOptions.options.0.requirements.a',
      { ...tool, ...security([{ requirements: { a: { headerApiKey: { name: 'Host' } } } }]) },
    ],
    [
      'a scheme with spaces',
      'definition.requirements.httpSecurityOptions.options.0.requirements.a',
      { ...tool, ...security([{ requirements: { a: { httpAuth: { scheme: 'a b' } } } }]) },
    ],
    [
      'a requirement without a name',
      'definition.requirements.httpSecurityOptions.options.0.requirements.',
      { ...tool, ...security([{ requirements: { '': { httpAuth: { scheme: 'a' } } } }]) },
    ],
  ])('reports %s', async (_what, path, definition) => {
    expect(await paths(definition)).toEqual([path]);
  });

  it('ignores values of a wrong type, which the JSON schema reports', async () => {
    expect(await paths({ client: {}, timeout: 5 })).toEqual([]);
    expect(await paths(null)).toEqual([]);
  });
});

describe('completeDefinition', () => {
  it('sets the default location of parameters without a location', () => {
    const open = [{ name: 'id' }, { name: 'b', location: 'PARAMETER_LOCATION_UNSPECIFIED' as const }];
    const locations = (definition: Parameters<typeof completeDefinition>[0]) =>
      completeDefinition(definition).dynamicParameters!.map(({ location }) => location);
    expect(locations({ http, dynamicParameters: open })).toEqual([PATH, BODY]);
    expect(locations({ http: { ...http, httpMethod: 'get' }, dynamicParameters: open })).toEqual([
      PATH,
      QUERY,
    ]);
    expect(locations({ client: {}, dynamicParameters: open })).toEqual([BODY, BODY]);
  });

  it('makes path parameters required and converts the HTTP method to upper case', () => {
    expect(completeDefinition(tool)).toEqual({
      http: { ...http, httpMethod: 'POST' },
      dynamicParameters: [{ ...id, location: PATH, required: true }],
    });
  });
});

describe('modelNameOf', () => {
  it.each([
    ['lookUp-2', 'lookUp-2'],
    ['Look up the order!', 'Look_up_the_order_'],
    ['Wetter für Köln', 'Wetter_f_r_K_ln'],
  ])('converts %j into a valid tool name for the model', (name, modelName) => {
    expect(modelNameOf(name)).toBe(modelName);
  });
});
