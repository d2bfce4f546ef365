import { afterAll, describe, expect, it } from '@jest/globals';
import {
  createMcpToolLists,
  createUnstoredMcpToolLists,
  type McpToolLists,
} from '@calls/call-lifecycle/creation/tools/mcp-tool-lists';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createOutboundHttp } from '@calls/outbound-http/outbound-http';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import { parseTemplate } from '@calls/simulation/agent/agent-call';
import { textMode } from '@calls/simulation/call/modes';
import { runScenario, type ScenarioResult } from '@calls/simulation/run-scenario';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { ScriptedLanguageModel, type ScriptedCalls } from '@calls/testkit/scripted/scripted-providers';
import { startMcpServer } from '../support/mcp-server/start-mcp-server.ts';
import { newAccount } from '../support/new-account.ts';
import { ScratchServers } from '../support/scratch-servers.ts';
import { openTestStore } from '../support/test-store.ts';

const TOKEN = 'the token of the shop';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let wallMs = Date.UTC(2030, 0, 1);

const servers = await ScratchServers.open();
const { url } = await servers.database();
const store = openTestStore(url, { poolSize: 4 });
const outbound = createOutboundHttp({ allowPrivateNetworks: true });
const shop = await startMcpServer(TOKEN);
const { accountId } = await newAccount(store.db, { plan: 'SCALE' });
const lists = createMcpToolLists({
  db: store.db,
  secretBox: createSecretBox(['an encryption key for tests only']),
  outbound,
  checksOf: inProcessChecksOf,
  clock: { ...systemClock, wallMs: () => wallMs },
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  await outbound[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await servers.close();
});

const names = async (token = TOKEN): Promise<string[]> => {
  const server = { url: shop.url, headers: { Authorization: `Bearer ${token}` }, accountId };
  return (await lists.toolsOf(server)).map(({ name }) => name);
};
const timesListed = async (): Promise<number> => (await shop.seen()).lists;

describe('the tool list of an MCP server', () => {
  it('is requested once for concurrent calls and cached for a minute', async () => {
    const [first, second] = await Promise.all([names(), names()]);
    expect(first).toContain('find.order');
    expect(second).toEqual(first);
    wallMs += MINUTE_MS - 1;
    expect(await names()).toEqual(first);
    expect(await timesListed()).toBe(1);
    wallMs += 1;
    expect(await names()).toEqual(first);
    expect(await timesListed()).toBe(2);
  });

  it('is not shared between credentials, which are not stored', async () => {
    await expect(names('wrong')).rejects.toThrow('the MCP server responded with HTTP status 401');
    const rows = await store.db.selectFrom('mcp_tool_lists').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(TOKEN);
  });

  it('provides a simulated call with tool stubs', async () => {
    const template = (authTokens?: object): object => ({
      systemPrompt: 'You work in a shop.',
      selectedTools: [
        {
          temporaryTool: {
            modelToolName: 'shop',
            mcp: { url: shop.url },
            requirements: {
              httpSecurityOptions: {
                options: [{ requirements: { token: { httpAuth: { scheme: 'Bearer' } } } }],
              },
            },
          },
          allowedTools: ['find.order'],
          ...(authTokens && { authTokens }),
        },
      ],
    });
    const scenario = {
      name: 'finds an order',
      caller: { script: [{ say: 'Where is my order 17?' }] },
      tools: { shop_find_order: { result: 'It is packed.' } },
      expect: { tools: [{ name: 'shop_find_order', arguments: { id: '17' } }], says: ['is packed'] },
    };
    const call: ScriptedCalls = {
      call: [{ name: 'shop_find_order', arguments: { id: '17', shop: 'main' } }],
    };
    const run = async (given: object, mcpTools: McpToolLists): Promise<ScenarioResult> =>
      runScenario(
        { name: 'shop', template: await parseTemplate(given, inProcessChecksOf(accountId)), tools: [] },
        scenario,
        {
          ...{ accountId, mode: textMode, callerModel: null, log: silentLogger },
          ...{ urls: { assertAllowedUrl: (url) => new URL(url) }, mcpTools, checksOf: inProcessChecksOf },
          languageModel: (clock) => new ScriptedLanguageModel(clock, 250, ['Hello.', call, 'It is packed.']),
          wallMs,
        },
      );
    const { calls } = await shop.seen();
    const unstored = createUnstoredMcpToolLists({
      outbound,
      checksOf: inProcessChecksOf,
      clock: systemClock,
    });
    for (const mcpTools of [lists, unstored])
      expect(await run(template({ token: TOKEN }), mcpTools)).toMatchObject({
        status: 'passed',
        findings: [],
      });
    expect(await shop.seen()).toMatchObject({ calls });
    expect(await run(template(), unstored)).toMatchObject({
      status: 'error',
      findings: [{ path: 'selectedTools.0.temporaryTool.mcp.url', message: expect.stringContaining('401') }],
    });
  });

  it('is used for up to a week while the server does not respond', async () => {
    await shop.kill();
    wallMs += 7 * DAY_MS - 1;
    expect(await names()).toContain('find.order');
    wallMs += 1;
    await expect(names()).rejects.toThrow(
      'no usable response from the MCP server: the connection was refused',
    );
  });
});
