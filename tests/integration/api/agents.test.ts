import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { Tool } from '@calls/api-contract/rest/tool-resource';
import { newId } from '@calls/foundation/ids';
import { sql } from 'kysely';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

const PATH = '/api/agents';
const medium = { serverWebSocket: { inputSampleRate: 16_000 } };

async function createAgent(body: object = {}, by = account): Promise<Agent> {
  const response = await by.post<Agent>(PATH, { name: 'Ada', ...body });
  expect(response).toMatchObject({ status: 201 });
  return response.body;
}
const pathOf = (agent: Agent): string => `${PATH}/${agent.agentId}`;
const patch = (agent: Agent, body: object) => account.send<Agent>('PATCH', pathOf(agent), body);
const issuePaths = (answer: { body: { errors?: { path: string }[] } }) =>
  (answer.body.errors ?? []).map(({ path }) => path).sort();

async function revisionsOf({ agentId }: Agent): Promise<{ revision_id: string; template: unknown }[]> {
  const found = await sql<{ revision_id: string; template: unknown }>`
    select revision_id, template from agent_revisions where agent_id = ${agentId} order by created_at, revision_id
  `.execute(harness.store.db);
  return found.rows;
}

describe('agents', () => {
  it('are created, read, changed and deleted', async () => {
    const callTemplate = { systemPrompt: 'You are kind.', temperature: 0.5, medium };
    const created = await createAgent({ callTemplate });
    expect(created).toEqual({
      agentId: expect.any(String),
      publishedRevisionId: expect.any(String),
      name: 'Ada',
      testsRequired: false,
      created: expect.any(String),
      callTemplate: { ...callTemplate, created: expect.any(String), updated: expect.any(String) },
      statistics: { calls: 0 },
    });
    expect((await account.request<Agent>(pathOf(created))).body).toEqual(created);

    expect(await patch(created, { name: 'Bea' })).toMatchObject({
      status: 200,
      body: { ...created, name: 'Bea' },
    });
    expect((await account.send('DELETE', pathOf(created))).status).toBe(204);
    for (const [method, path, body] of [
      ['GET', pathOf(created)],
      ['PATCH', pathOf(created), { name: 'x' }],
      ['DELETE', pathOf(created)],
      ['GET', `${pathOf(created)}/calls`],
      ['POST', `${pathOf(created)}/calls`, { medium }],
    ] as const) {
      expect(await account.send(method, path, body)).toMatchObject({ status: 404 });
    }
  });

  it('can be created without a name or a template', async () => {
    const { body: agent, status } = await account.post<Agent>(PATH, {});
    expect({ status, ...agent }).toMatchObject({
      status: 201,
      name: '',
      publishedRevisionId: null,
      callTemplate: null,
    });
    const call = await account.post<Call>(`${pathOf(agent)}/calls`, { medium });
    expect(call).toMatchObject({ status: 201, body: { agentId: agent.agentId, systemPrompt: null } });
  });

  it('return 404 for other accounts and for unknown ids', async () => {
    const agent = await createAgent({ callTemplate: {} });
    const other = await harness.account();
    for (const path of [pathOf(agent), `${PATH}/${newId()}`, `${PATH}/none`]) {
      expect((await other.request(path)).status).toBe(404);
      expect((await other.send('PATCH', path, { name: 'mine' })).status).toBe(404);
      expect((await other.send('DELETE', path)).status).toBe(404);
      expect((await other.request(`${path}/calls`)).status).toBe(404);
      expect((await other.post(`${path}/calls`, { medium })).status).toBe(404);
    }
    expect((await account.request<Agent>(pathOf(agent))).body).toEqual(agent);
    expect((await other.list(PATH)).total).toBe(0);
  });

  it('ignore read-only fields and reject values outside their limits', async () => {
    const given = { agentId: 'mine', publishedRevisionId: 1, created: 5, statistics: { calls: 9 } };
    const agent = await createAgent({ ...given, callTemplate: { created: 'then', updated: 1 } });
    expect(agent).toMatchObject({ statistics: { calls: 0 } });
    expect(Date.parse(agent.callTemplate!.created)).toBeGreaterThan(Date.now() - 60_000);
    const refused = await account.post(PATH, { name: 'x'.repeat(65), callTemplate: { prompt: 'x' }, x: 1 });
    expect(refused.status).toBe(400);
    expect(issuePaths(refused)).toEqual(['callTemplate.prompt', 'name', 'x']);
  });
});

describe('the list of agents', () => {
  let lister: TestAccount;
  const names = async (query: string) =>
    (await lister.list<Agent>(`${PATH}?${query}`)).results.map(({ name }) => name);

  beforeAll(async () => {
    lister = await harness.account();
    for (const name of ['Mira Desk', 'Ada', 'desk 100%', 'Zoë']) await createAgent({ name }, lister);
    const gone = await createAgent({ name: 'Desk, deleted' }, lister);
    await lister.send('DELETE', pathOf(gone));
  });

  it('is sorted newest first or as requested by sort', async () => {
    expect(await names('')).toEqual(['Zoë', 'desk 100%', 'Ada', 'Mira Desk']);
    expect(await names('sort=-created')).toEqual(['Zoë', 'desk 100%', 'Ada', 'Mira Desk']);
    expect(await names('sort=created')).toEqual(['Mira Desk', 'Ada', 'desk 100%', 'Zoë']);
    const byName = ['Ada', 'desk 100%', 'Mira Desk', 'Zoë'];
    expect(await names('sort=name')).toEqual(byName);
    expect(await names('sort=-name')).toEqual(byName.toReversed());
    expect((await lister.request(`${PATH}?sort=calls`)).status).toBe(400);
  });

  it('finds part of a name, ignoring case and LIKE wildcards', async () => {
    expect(await names('search=DESK')).toEqual(['desk 100%', 'Mira Desk']);
    expect(await names('search=ZO%C3%8B')).toEqual(['Zoë']);
    expect(await names('search=0%25')).toEqual(['desk 100%']);
    expect(await names('search=_')).toEqual([]);
    expect((await lister.request(`${PATH}?search=`)).status).toBe(400);
  });

  it.each(['name', '-name', 'created', '-created'])(
    'can be paged forwards and backwards sorted by %s',
    async (sort) => {
      const all = await names(`sort=${sort}`);
      const first = await lister.list<Agent>(`${PATH}?sort=${sort}&pageSize=3`);
      expect(first).toMatchObject({ total: 4, previous: null });
      const second = await lister.list<Agent>(first.next!);
      expect([...first.results, ...second.results].map(({ name }) => name)).toEqual(all);
      expect((await lister.list<Agent>(second.previous!)).results).toEqual(first.results);
    },
  );

  it('finds the agents that select a tool by its id or its name', async () => {
    const owner = await harness.account();
    const toolNamed = async (name: string, by: TestAccount): Promise<string> => {
      const definition = { client: {} };
      return (await by.post<Tool>('/api/tools', { name, definition })).body.toolId;
    };
    const toolId = await toolNamed('findRoom', owner);
    const { results: publicTools } = await owner.list<Tool>('/api/tools?ownership=public&search=hangUp');
    for (const [name, ...selectedTools] of [
      ['by id', { toolId }, { toolName: 'hangUp' }],
      ['by name', { toolName: 'findRoom' }],
      ['of its own', { temporaryTool: { modelToolName: 'findRoom', client: {} } }],
    ] as const) {
      await createAgent({ name, callTemplate: { medium, selectedTools } }, owner);
    }
    const using = async (id: string) =>
      (await owner.list<Agent>(`${PATH}?toolId=${id}&sort=name`)).results.map(({ name }) => name);
    expect(await using(toolId)).toEqual(['by id', 'by name']);
    expect(await using(publicTools[0]!.toolId)).toEqual(['by id']);
    // The name now means the tool of the account.
    await toolNamed('hangUp', owner);
    expect(await using(publicTools[0]!.toolId)).toEqual([]);
    expect(await using(newId())).toEqual([]);
    expect((await owner.request(`${PATH}?toolId=x`)).status).toBe(400);
  });

  it('includes the number of calls of each agent', async () => {
    const agent = await createAgent({ name: 'busy', callTemplate: { medium } }, lister);
    for (let i = 0; i < 3; i += 1) await lister.post(`${pathOf(agent)}/calls`, {});
    const listed = (await lister.list<Agent>(`${PATH}?search=busy`)).results;
    expect(listed).toEqual([{ ...agent, statistics: { calls: 3 } }]);
    const calls = await lister.list<Call>(`${pathOf(agent)}/calls?pageSize=2`);
    expect(calls).toMatchObject({ total: 3, results: [{ agentId: agent.agentId }, {}] });
  });
});

describe('agent revisions', () => {
  it('are created only when the template changes', async () => {
    const agent = await createAgent({ callTemplate: { systemPrompt: 'one', medium } });
    const renamed = await patch(agent, { name: 'New' });
    expect(renamed.body.publishedRevisionId).toBe(agent.publishedRevisionId);
    const same = await patch(agent, { callTemplate: { medium, systemPrompt: 'one' } });
    expect(same.body).toEqual(renamed.body);

    const changed = await patch(agent, { callTemplate: { systemPrompt: 'two' } });
    expect(changed.body.publishedRevisionId).not.toBe(agent.publishedRevisionId);
    expect(changed.body.callTemplate).toEqual({
      systemPrompt: 'two',
      created: agent.callTemplate!.created,
      updated: expect.any(String),
    });
    expect((await revisionsOf(agent)).map(({ template }) => template)).toEqual([
      { systemPrompt: 'one', medium },
      { systemPrompt: 'two' },
    ]);
    const cleared = await patch(agent, { callTemplate: null });
    expect(cleared.body).toMatchObject({ publishedRevisionId: null, callTemplate: null });
  });

  it('remain referenced by the calls that used them', async () => {
    const agent = await createAgent({ name: 'Ada', callTemplate: { systemPrompt: 'one', medium } });
    const { body: call } = await account.post<Call>(`${pathOf(agent)}/calls`, {});
    await patch(agent, { name: 'Bea', callTemplate: { systemPrompt: 'two', medium } });
    await account.send('DELETE', pathOf(agent));
    expect(await account.call(call.callId)).toMatchObject({
      systemPrompt: 'one',
      agentId: agent.agentId,
      agent: { agentId: agent.agentId, name: 'Ada' },
    });
    const { rows } = await sql<{ agent_revision_id: string }>`
      select agent_revision_id from calls where call_id = ${call.callId}`.execute(harness.store.db);
    expect(rows[0]!.agent_revision_id).toBe(agent.publishedRevisionId);
  });

  it('are created once for each of many concurrent changes', async () => {
    const agent = await createAgent({ callTemplate: { systemPrompt: 'start' } });
    const prompts = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(prompts.map((systemPrompt) => patch(agent, { callTemplate: { systemPrompt } })));
    expect(await revisionsOf(agent)).toHaveLength(6);
    const published = (await account.request<Agent>(pathOf(agent))).body;
    expect((await revisionsOf(agent)).map((each) => each.revision_id)).toContain(
      published.publishedRevisionId,
    );
  });
});

describe('secrets of templates', () => {
  const tool = {
    temporaryTool: {
      modelToolName: 'look_up',
      http: { baseUrlPattern: 'https://crm.example.com/look', httpMethod: 'GET' },
      requirements: {
        httpSecurityOptions: { options: [{ requirements: { key: { headerApiKey: { name: 'X-Key' } } } }] },
      },
    },
  };
  const SECRETS = ['a shared secret, long enough', 'token-of-the-tool', 'Bearer of-the-connection'];
  const callTemplate = {
    medium,
    sharedSecrets: [SECRETS[0]],
    selectedTools: [{ ...tool, authTokens: { key: SECRETS[1] } }],
    dataConnection: { websocketUrl: 'wss://example.com/data', headers: { Authorization: SECRETS[2] } },
  };

  it('are stored encrypted and never returned', async () => {
    const agent = await createAgent({ callTemplate });
    const stored = JSON.stringify(await revisionsOf(agent));
    for (const secret of SECRETS) expect(stored).not.toContain(secret);
    for (const secret of SECRETS) expect(JSON.stringify(agent)).not.toContain(secret);
    expect(agent.callTemplate).not.toHaveProperty('sharedSecrets');
    expect(agent.callTemplate!.selectedTools).toEqual([tool]);
    expect(agent.callTemplate!.dataConnection).toEqual({ websocketUrl: 'wss://example.com/data' });
  });

  it('survive concurrent changes of the agent', async () => {
    const agent = await createAgent({ callTemplate });
    const prompts = ['a', 'b', 'c', 'd'];
    await Promise.all(
      prompts.map((systemPrompt) => patch(agent, { callTemplate: { ...agent.callTemplate!, systemPrompt } })),
    );
    for (const { template } of await revisionsOf(agent)) {
      expect(JSON.stringify(template).match(/sealed:v1:/gu)).toHaveLength(3);
    }
  });

  it('are unchanged when a client sends a response back and are cleared by empty values', async () => {
    const agent = await createAgent({ callTemplate });
    const echoed = await patch(agent, { callTemplate: agent.callTemplate! });
    expect(echoed.body).toEqual(agent);

    const updated = await patch(agent, { callTemplate: { ...agent.callTemplate!, systemPrompt: 'new' } });
    expect(updated.body.publishedRevisionId).not.toBe(agent.publishedRevisionId);
    const revisions = await revisionsOf(agent);
    expect(JSON.stringify(revisions.at(-1)).match(/sealed:v1:/gu)).toHaveLength(3);

    const cleared = await patch(agent, {
      callTemplate: { ...agent.callTemplate!, sharedSecrets: [], selectedTools: [] },
    });
    expect(cleared.status).toBe(200);
    expect((await revisionsOf(agent)).at(-1)!.template).toMatchObject({
      sharedSecrets: [],
      selectedTools: [],
    });
  });
});
