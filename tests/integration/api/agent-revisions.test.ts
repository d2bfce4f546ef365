import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { AgentRevision, AgentRevisionBasic } from '@calls/api-contract/rest/agent-revision';
import type { Call } from '@calls/api-contract/rest/call';
import { newId } from '@calls/foundation/ids';
import { MAX_REVISIONS } from '@calls/store/tables/agent-revisions';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

const medium = { serverWebSocket: { inputSampleRate: 16_000 } };

async function agentWith(callTemplate: object): Promise<Agent> {
  const response = await account.post<Agent>('/api/agents', { name: 'Ada', callTemplate });
  expect(response).toMatchObject({ status: 201 });
  return response.body;
}
const pathOf = ({ agentId }: Agent): string => `/api/agents/${agentId}`;
const revisionsPath = (agent: Agent): string => `${pathOf(agent)}/revisions`;

async function change(agent: Agent, body: object): Promise<Agent> {
  const response = await account.send<Agent>('PATCH', pathOf(agent), body);
  expect(response).toMatchObject({ status: 200 });
  return response.body;
}
const listed = (agent: Agent, query = '') =>
  account.list<AgentRevisionBasic>(`${revisionsPath(agent)}${query}`);
const read = async (agent: Agent, revisionId: string | null): Promise<AgentRevision> =>
  (await account.request<AgentRevision>(`${revisionsPath(agent)}/${revisionId}`)).body;
const restore = (agent: Agent, revisionId: string | null) =>
  account.send<Agent>('POST', `${revisionsPath(agent)}/${revisionId}/restore`);

describe('agent revisions', () => {
  it('are listed newest first with their changes and author, and read with their templates', async () => {
    const first = await agentWith({ systemPrompt: 'one', temperature: 0.5, medium });
    const second = await change(first, { name: 'Bea', callTemplate: { systemPrompt: 'two', medium } });
    const createdBy = { apiKeyPrefix: account.key.slice(0, 8), fromConsole: false };
    const basic = { agentId: first.agentId, created: expect.any(String), createdBy, restoredFrom: null };
    const both = [
      {
        ...basic,
        revisionId: second.publishedRevisionId,
        published: true,
        name: 'Bea',
        changedFields: ['systemPrompt', 'temperature'],
      },
      {
        ...basic,
        revisionId: first.publishedRevisionId,
        published: false,
        name: 'Ada',
        changedFields: ['medium', 'systemPrompt', 'temperature'],
      },
    ];
    expect(await listed(first)).toEqual({ results: both, next: null, previous: null, total: 2 });
    expect(await read(first, first.publishedRevisionId)).toEqual({
      ...both[1],
      callTemplate: first.callTemplate,
    });
    expect((await read(first, second.publishedRevisionId)).callTemplate).toEqual(second.callTemplate);
  });

  it('can be paged forwards and backwards', async () => {
    const agent = await agentWith({ systemPrompt: '0' });
    for (const systemPrompt of ['1', '2', '3', '4']) await change(agent, { callTemplate: { systemPrompt } });
    const all = (await listed(agent)).results;
    const first = await listed(agent, '?pageSize=3');
    expect(first).toMatchObject({ total: 5, previous: null });
    const second = await account.list<AgentRevisionBasic>(first.next!);
    expect([...first.results, ...second.results]).toEqual(all);
    expect((await account.list<AgentRevisionBasic>(second.previous!)).results).toEqual(first.results);
    const prompts = await Promise.all(all.map(async ({ revisionId }) => read(agent, revisionId)));
    expect(prompts.map(({ callTemplate }) => callTemplate.systemPrompt)).toEqual(['4', '3', '2', '1', '0']);
  });

  it('do not exist without a template and remain after the template is cleared', async () => {
    const { body: bare } = await account.post<Agent>('/api/agents', { name: 'bare' });
    expect((await listed(bare)).total).toBe(0);
    const agent = await agentWith({ systemPrompt: 'one', medium });
    await change(agent, { callTemplate: null });
    expect((await listed(agent)).results).toMatchObject([{ published: false }]);
    const again = await change(agent, { callTemplate: { systemPrompt: 'two', medium } });
    // Changes are relative to the last template that was set.
    expect((await listed(agent)).results[0]).toMatchObject({ changedFields: ['systemPrompt'] });
    expect(again.publishedRevisionId).not.toBe(agent.publishedRevisionId);
  });

  it('are visible only under their agent and only to its account', async () => {
    const agent = await agentWith({ systemPrompt: 'mine' });
    const other = await agentWith({ systemPrompt: 'another' });
    const own = `${revisionsPath(agent)}/${agent.publishedRevisionId}`;
    const stranger = await harness.account();
    const hidden: [TestAccount, string][] = [
      [stranger, own],
      [account, `${revisionsPath(other)}/${agent.publishedRevisionId}`],
      [account, `${revisionsPath(agent)}/${newId()}`],
    ];
    for (const [asking, path] of hidden) {
      expect(await asking.request(path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await asking.send('POST', `${path}/restore`)).toMatchObject({ status: 404 });
    }
    expect((await stranger.request(revisionsPath(agent))).status).toBe(404);
    expect((await listed(other)).total).toBe(1);
  });

  it('are referenced by the calls that used them', async () => {
    const agent = await agentWith({ systemPrompt: 'one', medium });
    const { body: call } = await account.post<Call>(`${pathOf(agent)}/calls`, {});
    await change(agent, { callTemplate: { systemPrompt: 'two', medium } });
    expect(call.agentRevisionId).toBe(agent.publishedRevisionId);
    expect(await account.call(call.callId)).toMatchObject({ agentRevisionId: agent.publishedRevisionId });
    expect(await account.createCall()).toMatchObject({ agentRevisionId: null });
  });

  it('are limited in number and always include the published one', async () => {
    const agent = await agentWith({ systemPrompt: 'oldest' });
    const { agentId } = agent;
    await harness.query(
      `insert into agent_revisions (revision_id, agent_id, template, template_created_at, created_at)
       select gen_random_uuid(), '${agentId}', '{}', now(), now() + i * interval '1 ms'
       from generate_series(1, ${MAX_REVISIONS + 20}) as i`,
    );
    const newest = await change(agent, { callTemplate: { systemPrompt: 'newest' } });
    expect((await listed(agent)).total).toBe(MAX_REVISIONS);
    expect((await read(agent, newest.publishedRevisionId)).published).toBe(true);
    expect(await account.request(`${revisionsPath(agent)}/${agent.publishedRevisionId}`)).toMatchObject({
      status: 404,
    });
    // Pruned revisions return 404.
    expect((await listed(agent)).results.find(({ published }) => !published)).toMatchObject({
      name: null,
      createdBy: null,
      changedFields: null,
    });
  });

  it('are deleted with the agent, including their secrets', async () => {
    const agent = await agentWith({ sharedSecrets: ['a shared secret, long enough'] });
    await change(agent, { callTemplate: { systemPrompt: 'two', sharedSecrets: [] } });
    expect((await account.send('DELETE', pathOf(agent))).status).toBe(204);
    expect((await account.request(revisionsPath(agent))).status).toBe(404);
    const rows = await harness.query(`select from agent_revisions where agent_id = '${agent.agentId}'`);
    expect(rows.rows).toHaveLength(0);
  });
});

describe('restoring a revision', () => {
  it('creates a new revision with the old template and leaves existing revisions unchanged', async () => {
    const agent = await agentWith({ systemPrompt: 'one', medium });
    const changed = await change(agent, { callTemplate: { systemPrompt: 'two', temperature: 1, medium } });
    const restored = await restore(agent, agent.publishedRevisionId);
    expect(restored).toMatchObject({ status: 200, body: { name: 'Ada' } });
    const { callTemplate, publishedRevisionId } = restored.body;
    expect(callTemplate).toEqual({ ...agent.callTemplate, updated: expect.any(String) });
    const { results } = await listed(agent);
    expect(results.map(({ revisionId }) => revisionId)).toEqual([
      publishedRevisionId,
      changed.publishedRevisionId,
      agent.publishedRevisionId,
    ]);
    expect(results[0]).toMatchObject({
      published: true,
      restoredFrom: agent.publishedRevisionId,
      changedFields: ['systemPrompt', 'temperature'],
    });
    const { body: call } = await account.post<Call>(`${pathOf(agent)}/calls`, {});
    expect(call).toMatchObject({ systemPrompt: 'one', agentRevisionId: publishedRevisionId });
  });

  it('creates no revision when the agent already has that template, even if repeated', async () => {
    const agent = await agentWith({ systemPrompt: 'one' });
    expect(await restore(agent, agent.publishedRevisionId)).toMatchObject({ status: 200, body: agent });
    await change(agent, { callTemplate: { systemPrompt: 'two' } });
    await Promise.all([1, 2, 3].map(() => restore(agent, agent.publishedRevisionId)));
    expect((await listed(agent)).total).toBe(3);
    await change(agent, { callTemplate: null });
    expect((await restore(agent, agent.publishedRevisionId)).body.callTemplate).toMatchObject({
      systemPrompt: 'one',
    });
  });

  it('restores the secrets of the revision and drops later ones', async () => {
    const tool = {
      temporaryTool: {
        modelToolName: 'look_up',
        http: { baseUrlPattern: 'https://crm.example.com/look', httpMethod: 'GET' },
        requirements: {
          httpSecurityOptions: { options: [{ requirements: { key: { headerApiKey: { name: 'X-Key' } } } }] },
        },
      },
    };
    const template = (secret: string, token: string) => ({
      medium,
      sharedSecrets: [secret],
      selectedTools: [{ ...tool, authTokens: { key: token } }],
    });
    const agent = await agentWith(template('the first secret, long', 'the first token'));
    await change(agent, { callTemplate: template('the second secret, long', 'the second token') });
    expect((await listed(agent)).results[0]?.changedFields).toEqual(['selectedTools', 'sharedSecrets']);
    const shown = JSON.stringify(await read(agent, agent.publishedRevisionId));
    expect(shown).toContain('crm.example.com');
    expect(shown).not.toMatch(/first secret|first token|sealed:/u);

    const { body: restored } = await restore(agent, agent.publishedRevisionId);
    expect(JSON.stringify(restored)).not.toMatch(/first secret|first token|sealed:/u);
    // Setting identical values creates no revision, which proves that the agent has them.
    const same = await change(agent, { callTemplate: template('the first secret, long', 'the first token') });
    expect(same.publishedRevisionId).toBe(restored.publishedRevisionId);
    expect((await account.post<Call>(`${pathOf(agent)}/calls`, {})).status).toBe(201);
  });

  it('is rejected with reasons when referenced resources were deleted', async () => {
    const voice = await account.post<{ voiceId: string }>('/api/voices', {
      name: 'Passing',
      definition: { generic: { url: 'https://example.com/speak', body: { text: '{text}' } } },
    });
    const agent = await agentWith({ voice: 'Passing', systemPrompt: 'one' });
    const changed = await change(agent, { callTemplate: { systemPrompt: 'two' } });
    await account.send('DELETE', `/api/voices/${voice.body.voiceId}`);
    expect(await restore(agent, agent.publishedRevisionId)).toMatchObject({
      status: 422,
      body: { code: 'revision_not_usable', errors: [{ path: 'callTemplate.voice' }] },
    });
    expect((await account.request<Agent>(pathOf(agent))).body).toEqual(changed);
  });

  it('is rejected when the account no longer has the required feature', async () => {
    const rich = await harness.account('SCALE', null, ['retentionPolicy']);
    const { body: agent } = await rich.post<Agent>('/api/agents', {
      callTemplate: { retentionPolicy: 'CALL_RETENTION_POLICY_ZDR' },
    });
    await rich.send('PATCH', pathOf(agent), { callTemplate: {} });
    await harness.query(`update accounts set features = '{}' where account_id = '${rich.accountId}'`);
    // Permissions of a key are cached for a few seconds: use a new key.
    const { body: key } = await rich.post<{ secret: string }>('/api/api_keys', { name: 'another' });
    const path = `${revisionsPath(agent)}/${agent.publishedRevisionId}/restore`;
    const refused = await rich.request(path, { method: 'POST', headers: { 'X-API-Key': key.secret } });
    expect(refused).toMatchObject({ status: 403, body: { code: 'feature_not_enabled' } });
  });

  it('records that the console requested it', async () => {
    const agent = await agentWith({ systemPrompt: 'one' });
    await change(agent, { callTemplate: { systemPrompt: 'two' } });
    const signIn = await fetch(`${harness.url}/console/session`, {
      method: 'POST',
      headers: { 'X-Console': '1', 'Content-Type': 'application/json' },
      body: JSON.stringify({ apiKey: account.key }),
    });
    const cookie = (signIn.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    const path = `${revisionsPath(agent)}/${agent.publishedRevisionId}/restore`;
    const restored = await fetch(`${harness.url}${path}`, {
      method: 'POST',
      headers: { 'X-Console': '1', Cookie: cookie },
    });
    expect(restored.status).toBe(200);
    expect((await listed(agent)).results[0]?.createdBy).toEqual({
      apiKeyPrefix: account.key.slice(0, 8),
      fromConsole: true,
    });
  });
});
