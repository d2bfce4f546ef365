import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import type { Message } from '@calls/api-contract/rest/message';
import type { ApiError } from '@calls/api-contract/rest/common';
import type { CallTool, Tool } from '@calls/api-contract/rest/tool-resource';
import type { CallClient } from '@calls/examples/call-client';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startMcpServer } from '../support/mcp-server/start-mcp-server.ts';
import { startTestStack } from '../support/start-stack.ts';

const TOKEN = 'the token of the shop';
const CLIENT = { clientId: 'calls', clientSecret: 'the secret of the client' };

const [standIn, shop, guardedShop] = await Promise.all([
  startAiStandIn(),
  startMcpServer(TOKEN),
  startMcpServer('unused', { ...CLIENT, hasMetadata: true, expiresInS: 3600 }),
]);
const stack = await startTestStack({
  env: { LLM_BASE_URL: standIn.baseUrl, LLM_MODEL: 'stand-in', OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' },
});
const api = new Api(stack);
const definition = shopTool('20s');
const created = await api.request<Tool>('POST', '/api/tools', { name: 'shop', definition });
expect(created.status).toBe(201);
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await guardedShop[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
});

function shopTool(timeout: string) {
  return {
    mcp: { url: shop.url },
    timeout,
    requirements: {
      httpSecurityOptions: { options: [{ requirements: { token: { httpAuth: { scheme: 'Bearer' } } } }] },
    },
  };
}

const selected = (more: Record<string, unknown> = {}) => ({
  toolName: 'shop',
  authTokens: { token: TOKEN },
  ...more,
});

/** A text call in which the user writes first. */
const written = (settings: Record<string, unknown>) => ({
  initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
  firstSpeakerSettings: { user: {} },
  ...settings,
});

/** The model calls a tool when the user writes `words`, and then repeats the result. */
const calling = (words: string, name: string, args: Record<string, unknown> = {}) => [
  { last: 'user' as const, contains: words, reply: { toolCalls: [{ name, arguments: args }] } },
];

const toolsOf = async (callId: string): Promise<CallTool[]> =>
  (await api.request<CallTool[]>('GET', `/api/calls/${callId}/tools`)).body;

describe('MCP tools of an agent', () => {
  it('are listed for a call, called in one session, and report errors like other tools', async () => {
    await standIn.control({
      llm: {
        rules: [
          ...calling('order', 'shop_find_order', { id: '17' }),
          ...calling('count', 'shop_count'),
          ...calling('fail', 'shop_fail'),
          ...calling('hang', 'slow_hang'),
          ...calling('bye', 'shop_end'),
          { last: 'tool', contains: '', reply: 'That is all.' },
        ],
      },
    });
    const agent = await api.request<{ agentId: string }>('POST', '/api/agents', {
      name: 'Clerk',
      callTemplate: written({
        systemPrompt: 'You help with orders.',
        medium: { serverWebSocket: { inputSampleRate: 16_000 } },
        selectedTools: [
          selected({ parameterOverrides: { shop: 'Berlin' } }),
          {
            temporaryTool: { modelToolName: 'slow', ...shopTool('6s') },
            authTokens: { token: TOKEN },
            allowedTools: ['hang'],
          },
        ],
      }),
    });
    expect(agent.status).toBe(201);
    const path = `/api/agents/${agent.body.agentId}/calls`;
    const created = await api.request<Call>('POST', path, {
      sharedSecrets: ['a secret of the shop and the service'],
    });
    expect(created.body).toMatchObject({ callId: expect.any(String) });
    const call = created.body;
    const client = await api.join(call);
    const answers = () => client.transcript.filter(({ text }) => text === 'That is all.').length;
    for (const [index, text] of ['order', 'count', 'fail', 'hang'].entries()) {
      client.send({ type: 'user_text_message', text });
      await client.until(`the response to ${text}`, () => answers() > index);
    }
    client.send({ type: 'user_text_message', text: 'bye' });
    expect((await api.endedCall(call.callId)).endReason).toBe('agent_hangup');

    const results = (await api.messages(call.callId)).filter(
      ({ role }) => role === 'MESSAGE_ROLE_TOOL_RESULT',
    );
    expect(results.map(({ toolName, text }: Message) => `${toolName ?? ''}: ${text ?? ''}`)).toEqual([
      'shop_find_order: Order 17 is packed.',
      'shop_count: {"counted":3}',
      'shop_fail: Error: The warehouse is closed.',
      'slow_hang: Error: the MCP server did not respond within 6 s',
      'shop_end: Bye.',
    ]);
    const events = await api.events(call.callId);
    expect(events.filter(({ type }) => type === 'tool_error')).toHaveLength(2);
    await eventually(async () => {
      const { calls, cancelled, ...sessions } = await shop.seen();
      // One session lists the tools; the other one belongs to the call.
      expect(sessions).toEqual({ sessionsOpened: 2, sessionsEnded: 2, lists: 1, tokenRequests: [] });
      expect(calls[0]).toEqual({
        name: 'find.order',
        arguments: { id: '17', shop: 'Berlin' },
        isSigned: true,
      });
      expect(cancelled).toEqual(['hang']);
    });
    const [found] = await toolsOf(call.callId);
    expect(found).toMatchObject({
      name: 'shop_find_order',
      definition: {
        description: 'Finds an order.',
        dynamicParameters: [
          { name: 'id', schema: { type: 'string', pattern: '^[0-9]+$' }, required: true },
          { name: 'note', schema: { description: 'A note.' } },
        ],
        mcp: { url: shop.url, toolName: 'find.order', authHeaders: ['Authorization'] },
      },
    });
    expect(JSON.stringify(found)).not.toContain(TOKEN);
  });

  it('are listed for a new stage, and called in a new session after the server lost all sessions', async () => {
    const stage = { systemPrompt: 'You sell.', selectedTools: [selected({ nameOverride: 'store' })] };
    await standIn.control({
      llm: {
        rules: [
          ...calling('transfer', 'shop_transfer', { stage }),
          ...calling('order', 'store_find_order', { id: '18', shop: 'Rome' }),
          { last: 'tool', contains: 'stage changed', reply: 'Sales here.' },
          { last: 'tool', contains: 'packed', reply: 'It is packed.' },
        ],
      },
    });
    const { call, client } = await api.startCall(
      written({ selectedTools: [selected({ allowedTools: ['transfer'] })] }),
    );
    expect((await toolsOf(call.callId)).map(({ name }) => name)).toEqual(['shop_transfer']);
    client.send({ type: 'user_text_message', text: 'transfer' });
    await client.until('the new stage', () => client.transcript.at(-1)?.text === 'Sales here.');
    await shop.expireSessions();
    client.send({ type: 'user_text_message', text: 'order' });
    await client.until('the response', () => client.transcript.at(-1)?.text === 'It is packed.');
    await client.hangUp();
    await api.endedCall(call.callId);
    expect((await shop.seen()).calls.at(-1)?.arguments).toEqual({ id: '18', shop: 'Rome' });
  });

  it('can be tested without a call', async () => {
    const { body: page } = await api.request<{ results: Tool[] }>('GET', '/api/tools?ownership=private');
    const path = `/api/tools/${page.results[0]?.toolId ?? ''}/test`;
    const authTokens = { token: TOKEN };
    const listed = await api.request<{ name: string }[]>('POST', path, { authTokens });
    expect(listed.body.map(({ name }) => name)).toContain('find.order');
    const called = await api.request('POST', path, { authTokens, mcpToolName: 'fail' });
    expect(called.body).toMatchObject({ text: 'The warehouse is closed.', isError: true });
    const refused = await api.request<ApiError>('POST', path, { authTokens: { token: 'wrong' } });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('HTTP status 401') },
    });
  });

  it('are called with access tokens of an OAuth client, and the API does not return its secret', async () => {
    await standIn.control({
      llm: {
        rules: [
          ...calling('order', 'guarded_find_order', { id: '19', shop: 'Oslo' }),
          { last: 'tool', contains: 'packed', reply: 'It is packed.' },
        ],
      },
    });
    const { clientId, clientSecret } = CLIENT;
    const guarded = (secret: string) => ({
      temporaryTool: {
        modelToolName: 'guarded',
        mcp: { url: guardedShop.url },
        timeout: '20s',
        requirements: {
          httpSecurityOptions: { options: [{ requirements: { shop: { oauthClient: { clientId } } } }] },
        },
      },
      authTokens: { shop: secret },
    });
    const { call, client } = await api.startCall(written({ selectedTools: [guarded(clientSecret)] }));
    await guardedShop.revokeTokens();
    client.send({ type: 'user_text_message', text: 'order' });
    await client.until('the response', () => client.transcript.at(-1)?.text === 'It is packed.');
    await client.hangUp();
    await api.endedCall(call.callId);
    const [found] = await toolsOf(call.callId);
    expect(found).toMatchObject({ definition: { mcp: { authHeaders: ['Authorization'] } } });
    expect(JSON.stringify([found, await api.request('GET', `/api/calls/${call.callId}`)])).not.toContain(
      clientSecret,
    );
    const refused = await api.request<ApiError>(
      'POST',
      '/api/calls',
      written({ selectedTools: [guarded('wrong')] }),
    );
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('/token failed: invalid_client');
  });

  it('return errors while the server is down; calls continue and start', async () => {
    await standIn.control({
      llm: {
        rules: [
          ...calling('count', 'shop_count'),
          { last: 'tool', contains: 'no usable response', reply: 'The shop does not answer.' },
        ],
      },
    });
    const callShop = async ({ client }: { client: CallClient }): Promise<void> => {
      client.send({ type: 'user_text_message', text: 'count' });
      await client.until(
        'the response',
        () => client.transcript.at(-1)?.text === 'The shop does not answer.',
      );
    };
    const begun = await api.startCall(written({ selectedTools: [selected()] }));
    await shop.kill();
    await callShop(begun);
    await callShop(await api.startCall(written({ selectedTools: [selected()] })));
  });
});
