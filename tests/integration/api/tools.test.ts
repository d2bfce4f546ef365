import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { BUILT_IN_TOOL_NAMES } from '@calls/api-contract/built-in-tool-names';
import type { Call } from '@calls/api-contract/rest/call';
import type { ApiError, Page } from '@calls/api-contract/rest/common';
import type { CallTool, Tool, ToolHistory } from '@calls/api-contract/rest/tool-resource';
import { BUILT_IN_TOOLS } from '@calls/call-lifecycle/creation/tools/built-in-tools';
import { newId } from '@calls/foundation/ids';
import { findFreePorts } from '@calls/local-stack/free-port';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

const PATH = '/api/tools';
const client = { client: {} };
const lookup = {
  description: 'Looks an order up.',
  http: { baseUrlPattern: 'https://orders.example.com/orders/{id}', httpMethod: 'get' },
  dynamicParameters: [{ name: 'id', schema: { type: 'string' } }, { name: 'full' }],
};

async function createTool(owner: TestAccount, name: string, definition: unknown = client): Promise<Tool> {
  const created = await owner.post<Tool>(PATH, { name, definition });
  expect(created.status).toBe(201);
  return created.body;
}

const names = (tools: { name: string }[]): string[] => tools.map(({ name }) => name);
const issuePaths = ({ errors }: ApiError): string[] => (errors ?? []).map(({ path }) => path).sort();
const pathOf = ({ toolId }: Tool): string => `${PATH}/${toolId}`;

describe('tools', () => {
  it('are created, read, replaced and deleted', async () => {
    const tool = await createTool(account, 'look up', lookup);
    expect(tool).toMatchObject({
      name: 'look up',
      ownership: 'private',
      definition: {
        modelToolName: 'look_up',
        http: { ...lookup.http, httpMethod: 'GET' },
        dynamicParameters: [
          { name: 'id', location: 'PARAMETER_LOCATION_PATH', required: true },
          { name: 'full', location: 'PARAMETER_LOCATION_QUERY' },
        ],
      },
    });
    expect((await account.request<Tool>(pathOf(tool))).body).toEqual(tool);
    // A response can be sent back as a request.
    expect((await account.send<Tool>('PUT', pathOf(tool), tool)).body).toEqual(tool);

    const replaced = await account.send<Tool>('PUT', pathOf(tool), { name: 'other', definition: client });
    expect(replaced).toMatchObject({
      status: 200,
      body: {
        toolId: tool.toolId,
        created: tool.created,
        name: 'other',
        definition: { modelToolName: 'other', ...client },
      },
    });
    expect(replaced.body.definition.http).toBeUndefined();

    expect((await account.send('DELETE', pathOf(tool))).status).toBe(204);
    expect((await account.request(pathOf(tool))).status).toBe(404);
    expect((await account.send('DELETE', pathOf(tool))).status).toBe(404);
    expect((await account.send('PUT', pathOf(tool), { name: 'x', definition: client })).status).toBe(404);
  });

  it('require a unique name within the account, which may equal a public one', async () => {
    const owner = await harness.account();
    await createTool(owner, 'hangUp');
    const second = await createTool(owner, 'second');
    const conflict = { status: 409, body: { code: 'conflict' } };
    expect(await owner.post(PATH, { name: 'hangUp', definition: client })).toMatchObject(conflict);
    expect(await owner.send('PUT', pathOf(second), { name: 'hangUp', definition: client })).toMatchObject(
      conflict,
    );
    await createTool(await harness.account(), 'hangUp');
  });

  it.each([
    ['name', { name: 'x'.repeat(41), definition: client }],
    ['name', { name: '', definition: client }],
    ['name', { definition: client }],
    ['definition', { name: 'a' }],
    ['definition', { name: 'a', definition: {} }],
    ['definition.modelToolName', { name: 'a', definition: { ...client, modelToolName: 'no spaces' } }],
    ['definition.timeout', { name: 'a', definition: { ...client, timeout: '41s' } }],
    [
      'definition.http.baseUrlPattern',
      { name: 'a', definition: { http: { httpMethod: 'GET', baseUrlPattern: 'http://169.254.169.254/' } } },
    ],
    [
      'definition.http.baseUrlPattern',
      { name: 'a', definition: { http: { httpMethod: 'GET', baseUrlPattern: 'http://10.0.0.1/' } } },
    ],
    [
      'definition.dynamicParameters.0.schema',
      { name: 'a', definition: { ...client, dynamicParameters: [{ name: 'a', schema: { type: 5 } }] } },
    ],
  ])('are rejected with an issue at %s', async (path, body) => {
    const refused = await account.post(PATH, body);
    expect(refused).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(issuePaths(refused.body)).toEqual([path]);
  });

  it('are not accessible to other accounts', async () => {
    const tool = await createTool(await harness.account(), 'theirs');
    for (const [method, path, body] of [
      ['GET', pathOf(tool)],
      ['PUT', pathOf(tool), { name: 'mine', definition: client }],
      ['DELETE', pathOf(tool)],
      ['GET', `${pathOf(tool)}/history`],
      ['POST', `${pathOf(tool)}/test`, {}],
      ['GET', `${PATH}/no-uuid`],
    ] as const) {
      expect((await account.send(method, path, body)).status).toBe(404);
    }
  });

  it('include public tools, which cannot be changed', async () => {
    const owner = await harness.account();
    const page = await owner.list<Tool>(`${PATH}?ownership=public&sortOrder=alphabetic`);
    expect(names(page.results)).toEqual([...BUILT_IN_TOOL_NAMES].sort());
    expect(page.results.every(({ ownership }) => ownership === 'public')).toBe(true);
    const [publicTool] = page.results;
    expect(publicTool!.toolId).toBe(BUILT_IN_TOOLS.find(({ name }) => name === 'coldTransfer')!.toolId);
    const path = pathOf(publicTool!);
    expect((await owner.request<Tool>(path)).body).toEqual(publicTool);
    const refused = { status: 403, body: { code: 'public_tool' } };
    expect(await owner.send('DELETE', path)).toMatchObject(refused);
    expect(await owner.send('PUT', path, { name: 'mine', definition: client })).toMatchObject(refused);
  });

  it('are listed in pages, in every order, and by part of the name and ownership', async () => {
    const owner = await harness.account();
    for (const name of ['beta', 'Alpha', 'gamma_%']) await createTool(owner, name);
    const list = async (query: string) => names((await owner.list<Tool>(`${PATH}?${query}`)).results);
    expect(await list('ownership=private')).toEqual(['gamma_%', 'Alpha', 'beta']);
    expect(await list('ownership=private&sortOrder=default')).toEqual(['gamma_%', 'Alpha', 'beta']);
    expect(await list('ownership=private&sortOrder=reverseChronologic')).toEqual([
      'gamma_%',
      'Alpha',
      'beta',
    ]);
    expect(await list('ownership=private&sortOrder=chronologic')).toEqual(['beta', 'Alpha', 'gamma_%']);
    expect(await list('ownership=private&sortOrder=alphabetic')).toEqual(['Alpha', 'beta', 'gamma_%']);
    expect(await list('ownership=private&sortOrder=reverseAlphabetic')).toEqual(['gamma_%', 'beta', 'Alpha']);
    expect(await list('search=ALP')).toEqual(['Alpha']);
    expect(await list('search=%25')).toEqual(['gamma_%']);
    expect(await list('search=hangup')).toEqual(['hangUp']);
    const display = ['Alpha', 'beta', 'gamma_%', ...[...BUILT_IN_TOOL_NAMES].sort()];
    const paged: string[] = [];
    let next: string | null = `${PATH}?sortOrder=display&pageSize=3`;
    while (next !== null) {
      const page: Awaited<ReturnType<typeof owner.list<Tool>>> = await owner.list<Tool>(next);
      expect(page.total).toBe(display.length);
      paged.push(...names(page.results));
      ({ next } = page);
    }
    expect(paged).toEqual(display);
    expect((await owner.request(`${PATH}?sortOrder=random`)).status).toBe(400);
  });
});

describe('tools of calls', () => {
  const secured = {
    ...lookup,
    requirements: {
      httpSecurityOptions: { options: [{ requirements: { key: { headerApiKey: { name: 'X-Key' } } } }] },
    },
  };

  it('are resolved and stored without secrets at creation and unaffected by later changes', async () => {
    const owner = await harness.account();
    const tool = await createTool(owner, 'lookup', secured);
    const secret = `secret-${newId()}`;
    const call = await owner.createCall({
      selectedTools: [
        {
          toolName: 'lookup',
          authTokens: { key: secret },
          parameterOverrides: { full: true },
          nameOverride: 'find',
        },
        { toolName: 'hangUp' },
        { temporaryTool: { modelToolName: 'flash', ...client } },
      ],
    });
    expect((await owner.send('DELETE', pathOf(tool))).status).toBe(204);
    const tools = (await owner.request<CallTool[]>(`/api/calls/${call.callId}/tools`)).body;
    expect(tools).toMatchObject([
      {
        toolId: tool.toolId,
        name: 'find',
        definition: {
          http: { httpMethod: 'GET', authHeaders: ['X-Key'], authQueryParams: [] },
          dynamicParameters: [{ name: 'id' }],
          staticParameters: [{ name: 'full', value: true }],
          timeout: '2.5s',
        },
      },
      { name: 'hangUp', definition: { staticParameters: [{ name: 'strict', value: true }] } },
      { toolId: null, name: 'flash', definition: client },
    ]);
    expect(JSON.stringify(tools)).not.toContain(secret);

    const { stage_id: stageId } = await harness.store.db
      .selectFrom('call_stages')
      .select('stage_id')
      .where('call_id', '=', call.callId)
      .executeTakeFirstOrThrow();
    const path = `/api/calls/${call.callId}/stages/${stageId}/tools`;
    expect((await owner.request<CallTool[]>(path)).body).toEqual(tools);

    const rows = await harness.store.db
      .selectFrom('call_tools')
      .selectAll()
      .where('call_id', '=', call.callId)
      .orderBy('tool_index')
      .execute();
    expect(rows.map(({ sealed_auth: sealed }) => sealed !== null)).toEqual([true, false, false]);
    expect(JSON.stringify(rows)).not.toContain(secret);

    expect((await account.request(`/api/calls/${call.callId}/tools`)).status).toBe(404);
    expect((await account.request(path)).status).toBe(404);
    expect((await owner.request(`/api/calls/${call.callId}/stages/${newId()}/tools`)).status).toBe(404);
    const bare = await owner.createCall();
    expect((await owner.request<CallTool[]>(`/api/calls/${bare.callId}/tools`)).body).toEqual([]);
  });

  it('are rejected with the path of every issue, and tools of other accounts as unknown', async () => {
    const theirs = await createTool(await harness.account(), 'theirs');
    const mine = await createTool(account, 'secured', secured);
    const refused = await account.post('/api/calls', {
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
      selectedTools: [
        { toolId: theirs.toolId },
        { toolName: 'theirs' },
        { toolId: mine.toolId },
        {
          temporaryTool: {
            modelToolName: 'x',
            http: { baseUrlPattern: 'http://10.0.0.1/', httpMethod: 'GET' },
          },
        },
        { temporaryTool: { modelToolName: 'twice', ...client } },
        { temporaryTool: { modelToolName: 'y', ...client }, nameOverride: 'twice' },
      ],
    });
    expect(refused.status).toBe(400);
    expect(issuePaths(refused.body)).toEqual([
      'selectedTools.0.toolId',
      'selectedTools.1.toolName',
      'selectedTools.2.authTokens',
      'selectedTools.3.temporaryTool.http.baseUrlPattern',
      'selectedTools.5.nameOverride',
    ]);
  });

  it('appear in the history of the tool, newest first, with failed invocations', async () => {
    const owner = await harness.account();
    const tool = await createTool(owner, 'lookup', client);
    const selectedTools = [{ toolId: tool.toolId, nameOverride: 'find' }];
    const first = await owner.createCall({ selectedTools });
    await owner.createCall();
    const second = await owner.createCall({ selectedTools: [...selectedTools, { toolId: tool.toolId }] });
    // The history of a public tool excludes calls of other accounts.
    await account.createCall({ selectedTools: [{ toolName: 'hangUp' }] });

    const { stage_id: stageId } = await harness.store.db
      .selectFrom('call_stages')
      .select('stage_id')
      .where('call_id', '=', first.callId)
      .executeTakeFirstOrThrow();
    const said = harness.eventsOf(first, owner.accountId);
    const result = (toolName: string, errorDetails?: string) => ({
      role: 'MESSAGE_ROLE_TOOL_RESULT' as const,
      text: 'x',
      toolName,
      ...(errorDetails !== undefined && { errorDetails }),
    });
    const messages = [
      result('find', 'timeout'),
      result('find'),
      result('other', 'timeout'),
      result('find', 'status 500'),
    ];
    for (const [index, message] of messages.entries()) {
      await harness.bus.callLogs.append(said(index + 1, { type: 'message_added', stageId, index, message }));
    }
    const path = `${pathOf(tool)}/history`;
    await eventually(async () => {
      const page = await owner.list<ToolHistory>(path);
      expect(page.results.map(({ call, errorCount }) => [call.callId, errorCount])).toEqual([
        [second.callId, 0],
        [first.callId, 2],
      ]);
      expect(page).toMatchObject({ total: 2, next: null });
    });
    const page = await owner.list<ToolHistory>(`${path}?pageSize=1`);
    expect((await owner.list<ToolHistory>(page.next!)).results[0]!.call.callId).toBe(first.callId);
    const hangUp = BUILT_IN_TOOLS.find(({ name }) => name === 'hangUp')!;
    expect((await owner.list<ToolHistory>(`${PATH}/${hangUp.toolId}/history`)).total).toBe(0);
    expect((await account.list<ToolHistory>(`${PATH}/${hangUp.toolId}/history`)).total).toBe(1);
  });

  it('appear in the history of the tool newest first, even if their ids have another order', async () => {
    const owner = await harness.account();
    const tool = await createTool(owner, 'lookup', client);
    const body = {
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
      selectedTools: [{ toolId: tool.toolId }],
    };
    const newestFirst: string[] = [];
    for (let key = 0; key < 6; key += 1) {
      const { body: call } = await owner.request<Call>('/api/calls', {
        method: 'POST',
        headers: { 'Idempotency-Key': `${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      newestFirst.unshift(call.callId);
    }
    const seen: string[] = [];
    for (let next: string | null = `${pathOf(tool)}/history?pageSize=2`; next !== null;) {
      const page: Page<ToolHistory> = await owner.list<ToolHistory>(next);
      seen.push(...page.results.map(({ call }) => call.callId));
      next = page.next;
    }
    expect(seen).toEqual(newestFirst);
  });
});

describe('testing a tool', () => {
  interface Received {
    method: string | undefined;
    url: string | undefined;
    headers: IncomingMessage['headers'];
    body: string;
  }
  let server: Server;
  let url: string;
  const received: Received[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (text: string) => (body += text));
      request.on('end', () => {
        received.push({ method: request.method, url: request.url, headers: request.headers, body });
        if (request.url?.startsWith('/slow')) return;
        if (request.url?.startsWith('/moved')) {
          response.writeHead(307, { Location: '/orders' }).end();
          return;
        }
        const size = Number(new URL(request.url ?? '', 'http://x').searchParams.get('bytes') ?? 2);
        response.writeHead(418, { 'Content-Type': 'text/tea', 'Set-Cookie': 'a=b' }).end('x'.repeat(size));
      });
    });
    url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  });
  afterAll(() => closeServer(server));

  let counter = 0;
  const create = (definition: Record<string, unknown>): Promise<Tool> => {
    counter += 1;
    return createTool(account, `tested ${counter}`, definition);
  };
  const http = (path: string, httpMethod = 'POST') => ({
    http: { baseUrlPattern: `${url}${path}`, httpMethod },
  });

  it('sends the request once and returns status, content type and body', async () => {
    const tool = await create({
      ...http('/orders/{id}'),
      dynamicParameters: [{ name: 'id' }, { name: 'note', schema: { type: 'string' } }],
      staticParameters: [{ name: 'source', value: 'test' }],
      automaticParameters: [
        { name: 'X-Call', location: 'PARAMETER_LOCATION_HEADER', knownValue: 'KNOWN_PARAM_CALL_ID' },
      ],
      requirements: {
        httpSecurityOptions: { options: [{ requirements: { key: { queryApiKey: { name: 'key' } } } }] },
      },
    });
    received.length = 0;
    const response = await fetch(`${harness.url}${pathOf(tool)}/test`, {
      method: 'POST',
      headers: { 'X-API-Key': account.key, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        parameters: { id: 'a/b', note: 'n', 'X-Call': 'c1' },
        authTokens: { key: 's' },
      }),
    });
    expect(response.status).toBe(418);
    expect(response.headers.get('x-svc-tool-status')).toBe('418');
    expect(response.headers.get('content-type')).toBe('text/tea');
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await response.text()).toBe('xx');
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/orders/a%2Fb?key=s',
        headers: { 'x-call': 'c1', 'content-type': 'application/json' },
        body: '{"note":"n","source":"test"}',
      },
    ]);
  });

  it('follows redirects, as in calls', async () => {
    received.length = 0;
    const response = await fetch(`${harness.url}${pathOf(await create(http('/moved')))}/test`, {
      method: 'POST',
      headers: { 'X-API-Key': account.key },
    });
    expect(response.headers.get('x-svc-tool-status')).toBe('418');
    expect(received.map((request) => request.url)).toEqual(['/moved', '/orders']);
  });

  it('validates its input', async () => {
    const tool = await create({
      ...http('/{id}'),
      dynamicParameters: [{ name: 'id' }, { name: 'n', schema: { type: 'integer' }, required: true }],
    });
    const test = async (body: unknown) => {
      const refused = await account.post(`${pathOf(tool)}/test`, body);
      expect(refused.status).toBe(400);
      return issuePaths(refused.body);
    };
    expect(await test({})).toEqual(['parameters.id', 'parameters.n']);
    expect(await test({ parameters: { id: 'a', n: 'b', z: 1 } })).toEqual(['parameters.n', 'parameters.z']);
    expect(await test({ parameters: { id: '..', n: 1 } })).toEqual(['parameters.id']);
    expect(await test({ parameters: { id: 'a', n: 1 }, authTokens: { k: 'x' } })).toEqual(['authTokens.k']);
  });

  it.each<[string, () => Record<string, unknown> | Promise<Record<string, unknown>>]>([
    ['not_an_http_tool', () => client],
    ['outbound_timeout', () => ({ ...http('/slow'), timeout: '0.2s' })],
    ['outbound_too_large', () => http(`/big?bytes=${1024 * 1024 + 1}`)],
    [
      'outbound_failed',
      async () => ({
        http: { baseUrlPattern: `http://127.0.0.1:${await findFreePorts(1)}/`, httpMethod: 'GET' },
      }),
    ],
    [
      'call_token_required',
      () => ({
        ...http('/'),
        requirements: { httpSecurityOptions: { options: [{ svcCallTokenRequirement: { scopes: [] } }] } },
      }),
    ],
  ])('responds with 422 and code %s', async (code, definition) => {
    const tool = await create(await definition());
    expect(await account.post(`${pathOf(tool)}/test`, {})).toMatchObject({ status: 422, body: { code } });
  });

  it('is rejected for public tools', async () => {
    const path = `${PATH}/${BUILT_IN_TOOLS[0]!.toolId}/test`;
    expect(await account.post(path, {})).toMatchObject({ status: 422, body: { code: 'not_an_http_tool' } });
  });
});
