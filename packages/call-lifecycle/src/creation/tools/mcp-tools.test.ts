import { describe, expect, it } from '@jest/globals';
import type { BaseToolDefinition, SelectedTool } from '@calls/api-contract/rest/tool';
import { newId } from '@calls/foundation/ids';
import { McpError } from '@calls/mcp-client/mcp-error';
import type { McpServerTool } from '@calls/store/schema/tool-tables';
import type { ToolRow } from '@calls/store/tables/tools';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { mcpParameters } from './mcp-parameters.ts';
import type { McpToolLists } from './mcp-tool-lists.ts';
import { resolveAmong } from './resolve-tools.ts';

const BODY = 'PARAMETER_LOCATION_BODY';

function row(name: string, definition: BaseToolDefinition): ToolRow {
  const names = { name, name_key: name };
  return { tool_id: newId(), account_id: 'mine', ...names, definition, created_at: new Date(0) };
}

const shop = row('shop', {
  modelToolName: 'shop',
  description: 'The shop in Berlin.',
  mcp: { url: 'https://shop.example.com/mcp' },
  precomputable: true,
  timeout: '5s',
  staticParameters: [{ name: 'shopId', location: BODY, value: 7 }],
  automaticParameters: [{ name: 'callId', location: BODY, knownValue: 'KNOWN_PARAM_CALL_ID' }],
  requirements: {
    httpSecurityOptions: {
      options: [
        { requirements: { token: { httpAuth: { scheme: 'Bearer' } }, key: { queryApiKey: { name: 'k' } } } },
      ],
    },
  },
});
const light = row('light', { modelToolName: 'light', client: {} });
const authTokens = { token: 'secret', key: 'other' };

const parameter = (name: string, required = false) =>
  ({ name, location: BODY, schema: {}, required }) as const;
const tool = (name: string, more: Partial<McpServerTool> = {}): McpServerTool => ({
  name,
  description: `Does ${name}.`,
  parameters: [],
  isReadOnly: false,
  ...more,
});

function resolve(selected: SelectedTool[], listed: readonly McpServerTool[] | Error, known = [shop, light]) {
  const servers: unknown[] = [];
  const mcpTools: McpToolLists = {
    toolsOf(server) {
      servers.push(server);
      return listed instanceof Error ? Promise.reject(listed) : Promise.resolve(listed);
    },
  };
  const resolution = resolveAmong(known, {
    accountId: 'mine',
    selectedTools: selected,
    path: 'selectedTools',
    urlRule: () => null,
    checks: inProcessChecksOf('mine'),
    mcpTools,
    hasDataConnection: false,
  });
  return { resolution, servers };
}

async function issuesOf(selected: SelectedTool[], listed: readonly McpServerTool[] | Error) {
  const { issues } = await resolve(selected, listed).resolution;
  return issues.map(({ path, message }) => `${path} ${message}`);
}

describe('resolution of a selected MCP server', () => {
  it('expands the server into the tools that it lists, with the settings of the selected tool', async () => {
    const { resolution, servers } = resolve(
      [{ toolName: 'shop', authTokens, parameterOverrides: { language: 'de' } }],
      [
        tool('find.order', {
          isReadOnly: true,
          parameters: [
            parameter('id', true),
            parameter('shopId', true),
            parameter('callId'),
            parameter('language'),
          ],
        }),
        tool('refund', { description: '' }),
      ],
    );
    const { tools } = await resolution;
    expect(servers).toEqual([
      {
        url: 'https://shop.example.com/mcp?k=other',
        headers: { Authorization: 'Bearer secret' },
        accountId: 'mine',
      },
    ]);
    expect(tools?.map(({ name }) => name)).toEqual(['shop_find_order', 'shop_refund']);
    expect(tools?.[0]).toMatchObject({
      toolId: shop.tool_id,
      auth: { headers: { Authorization: 'Bearer secret' }, queryParams: { k: 'other' } },
      definition: {
        description: 'The shop in Berlin.\n\nDoes find.order.',
        dynamicParameters: [parameter('id', true)],
        staticParameters: [
          { name: 'shopId', value: 7 },
          { name: 'language', value: 'de' },
        ],
        automaticParameters: [{ name: 'callId' }],
        timeout: '5s',
        precomputable: true,
        mcp: {
          url: 'https://shop.example.com/mcp',
          toolName: 'find.order',
          authHeaders: ['Authorization'],
          authQueryParams: ['k'],
        },
      },
    });
    expect(tools?.[1]?.definition).toMatchObject({
      description: 'The shop in Berlin.',
      staticParameters: [],
      automaticParameters: [],
      precomputable: false,
    });
  });

  it('offers only the allowed tools, under the overridden name', async () => {
    const selected = { toolName: 'shop', authTokens, nameOverride: 'store', allowedTools: ['refund'] };
    const { tools } = await resolve([selected], [tool('find'), tool('refund')]).resolution;
    expect(tools?.map(({ name }) => name)).toEqual(['store_refund']);
  });

  it('accepts one server selected twice under two names', async () => {
    const selected = [
      { toolName: 'shop', authTokens },
      { toolName: 'shop', authTokens, nameOverride: 'store' },
    ];
    const { tools } = await resolve(selected, [tool('find')]).resolution;
    expect(tools?.map(({ name }) => name)).toEqual(['shop_find', 'store_find']);
  });

  it.each<[string, Partial<SelectedTool>, readonly McpServerTool[] | Error, string]>([
    [
      'reports an allowed tool that the server does not have',
      { allowedTools: ['find', 'steal'] },
      [tool('find')],
      'selectedTools.0.allowedTools.1 must be a tool of the MCP server, which has find',
    ],
    [
      'reports a server that does not respond',
      {},
      new McpError('mcp_timeout', 'the MCP server did not respond within 3 s'),
      'selectedTools.0.toolName is an MCP server that did not list its tools: the MCP server did not respond within 3 s',
    ],
    ['rejects a server without tools', {}, [], 'selectedTools.0.toolName is an MCP server without tools'],
    [
      'requires allowedTools when the server has too many tools',
      {},
      Array.from({ length: 65 }, (_, index) => tool(`t${index}`)),
      'selectedTools.0.allowedTools is required: the MCP server has 65 tools, and a call can use 64 of them',
    ],
    [
      'rejects two tools with the same name for the model',
      { nameOverride: 'store' },
      [tool('a.b'), tool('a_b')],
      'selectedTools.0.nameOverride gives the model two tools called store_a_b; set nameOverride',
    ],
    [
      'rejects tool names that are too long',
      {},
      [tool('x'.repeat(60))],
      `selectedTools.0.toolName makes the name shop_${'x'.repeat(60)}, which is longer than 64 characters; set a shorter nameOverride`,
    ],
    [
      'rejects an override that is not a parameter of any tool',
      { parameterOverrides: { id: 1 } },
      [tool('find')],
      'selectedTools.0.parameterOverrides.id is not a parameter of any tool of the MCP server',
    ],
  ])('%s', async (_title, more, listed, expected) => {
    expect(await issuesOf([{ toolName: 'shop', authTokens, ...more }], listed)).toEqual([expected]);
  });

  it('limits the total number of tools of all servers', async () => {
    const many = Array.from({ length: 64 }, (_, index) => tool(`t${index}`));
    const selected = ['a', 'b', 'c'].map((nameOverride) => ({ toolName: 'shop', authTokens, nameOverride }));
    expect(await issuesOf(selected, many)).toEqual([
      'selectedTools gives the model 192 tools, which is more than 128; set allowedTools',
    ]);
  });

  it('passes on the client secret of an OAuth client, and rejects a static token beside it', async () => {
    const oauthClient = { clientId: 'calls', scope: 'orders' };
    const options = [
      { requirements: { secret: { oauthClient } } },
      { requirements: { token: { httpAuth: { scheme: 'Bearer' } } } },
    ];
    const guarded = row('guarded', {
      mcp: { url: 'https://shop.example.com/mcp' },
      requirements: { httpSecurityOptions: { options } },
    });
    const select = (tokens: Record<string, string>) =>
      resolve([{ toolName: 'guarded', authTokens: tokens }], [tool('find')], [guarded]);
    const { resolution, servers } = select({ secret: 's' });
    const { tools } = await resolution;
    expect(servers).toMatchObject([{ headers: {}, oauthClient: { ...oauthClient, clientSecret: 's' } }]);
    expect(tools?.[0]?.definition.mcp?.authHeaders).toEqual(['Authorization']);
    const { issues } = await select({ secret: 's', token: 't' }).resolution;
    expect(issues).toEqual([
      {
        path: 'selectedTools.0.authTokens.secret',
        message: 'must not be given with authTokens.token: both are for the Authorization header',
      },
    ]);
  });

  it('rejects allowedTools for other kinds of tools', async () => {
    expect(await issuesOf([{ toolName: 'light', allowedTools: ['on'] }], [])).toEqual([
      'selectedTools.0.allowedTools is for mcp tools only',
    ]);
  });
});

describe('parameters of MCP tools', () => {
  const checks = inProcessChecksOf('mine');

  it('have references resolved, and a schema with only the description when it cannot be checked', async () => {
    const [parameters] = await mcpParameters(
      [
        {
          type: 'object',
          properties: {
            id: { $ref: '#/$defs/id', description: 'The id.' },
            tree: { $ref: '#/$defs/tree' },
            word: { type: 'string', pattern: '(?=a)b', description: 'A word.' },
            anything: true,
          },
          required: ['id'],
          $defs: {
            id: { type: 'integer' },
            tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' } } },
          },
        },
      ],
      checks,
    );
    expect(parameters).toEqual([
      { ...parameter('id', true), schema: { type: 'integer', description: 'The id.' } },
      parameter('tree'),
      { ...parameter('word'), schema: { description: 'A word.' } },
      parameter('anything'),
    ]);
  });

  it('share a size limit, and have no schema when expanded references exceed it', async () => {
    const level = (index: number) => ({
      type: 'object',
      properties: Object.fromEntries(
        ['a', 'b', 'c'].map((name) => [name, { $ref: `#/$defs/l${index + 1}` }]),
      ),
    });
    const $defs = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`l${index}`, level(index)]));
    const bomb = { properties: { value: { $ref: '#/$defs/l0' } }, $defs: { ...$defs, l20: {} } };
    const all = await mcpParameters(
      Array.from({ length: 50 }, () => bomb),
      checks,
    );
    expect(all.flat()).toEqual(Array.from({ length: 50 }, () => parameter('value')));
  });
});
