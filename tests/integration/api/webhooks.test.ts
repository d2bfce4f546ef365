import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { CreatedWebhook, Webhook } from '@calls/api-contract/rest/webhook';
import { omit } from '@calls/foundation/omit';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

const PATH = '/api/webhooks';
const hook = { url: 'https://example.com/hook', events: ['call.ended'] };

describe('webhooks', () => {
  it('are created, read, replaced, changed and deleted', async () => {
    const secrets = ['a secret of sixteen', 'another one of these'];
    const created = await account.post<Webhook>(PATH, { ...hook, secrets });
    expect(created).toMatchObject({
      status: 201,
      body: { ...hook, agentId: null, status: 'normal', lastStatusChange: null, recentFailures: [] },
    });
    expect(created.body).not.toHaveProperty('secrets');
    const path = `${PATH}/${created.body.webhookId}`;
    expect((await account.request<Webhook>(path)).body).toEqual(created.body);
    const changed = await account.send<Webhook>('PATCH', path, { events: ['call.joined', 'call.billed'] });
    expect(changed.body).toEqual({ ...created.body, events: ['call.joined', 'call.billed'] });
    const replaced = await account.send<Webhook>('PUT', path, { ...hook, url: 'http://example.com/b' });
    expect(replaced.body).toEqual({ ...created.body, url: 'http://example.com/b' });
    expect((await account.send('DELETE', path)).status).toBe(204);
    expect((await account.request(path)).status).toBe(404);
  });

  it('get a generated secret by default, which is returned once and stored encrypted', async () => {
    const created = await account.post<CreatedWebhook>(PATH, hook);
    expect(created.body.secrets).toEqual([expect.stringMatching(/^[A-Za-z0-9]{32}$/u)]);
    const shown = await account.request(`${PATH}/${created.body.webhookId}`);
    expect(shown.body).toEqual(omit(created.body, 'secrets'));
    const { rows } = await harness.query('select webhooks::text as row from webhooks');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some((row) => String(row['row']).includes(created.body.secrets![0]!))).toBe(false);
  });

  it('subscribe to all calls or to one agent and can be filtered accordingly', async () => {
    const lister = await harness.account();
    const agent = await lister.post<Agent>('/api/agents', { name: 'Ada' });
    const { agentId } = agent.body;
    await lister.post(PATH, hook);
    expect((await lister.post(PATH, { ...hook, agentId })).status).toBe(201);
    const total = async (query: string) => (await lister.list<Webhook>(`${PATH}${query}`)).total;
    expect([await total(''), await total('?agentId=null'), await total(`?agentId=${agentId}`)]).toEqual([
      2, 1, 1,
    ]);
    expect((await account.post(PATH, { ...hook, agentId })).body.errors).toEqual([
      { path: 'agentId', message: 'must be the id of an agent' },
    ]);
    const invalid = await lister.request(`${PATH}?agentId=x`);
    expect([invalid.status, invalid.body]).toMatchObject([
      400,
      { errors: [{ path: 'agentId', message: 'must be the id of an agent, or `null`' }] },
    ]);
  });

  it('of a deleted agent can be changed, even by a body that names the agent', async () => {
    const agents = ['Ada', 'Bo'].map((name) => account.post<Agent>('/api/agents', { name }));
    const [agentId, otherId] = (await Promise.all(agents)).map(({ body }) => body.agentId);
    const { body } = await account.post<Webhook>(PATH, { ...hook, agentId });
    const path = `${PATH}/${body.webhookId}`;
    for (const id of [agentId, otherId]) await account.send('DELETE', `/api/agents/${id}`);
    for (const method of ['PUT', 'PATCH'] as const) {
      const changed = await account.send<Webhook>(method, path, {
        ...hook,
        agentId,
        events: ['call.joined'],
      });
      expect(changed).toMatchObject({ status: 200, body: { agentId, events: ['call.joined'] } });
      const refused = await account.send(method, path, { ...hook, agentId: otherId });
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: 'agentId' }] } });
    }
  });

  it('reject invalid fields', async () => {
    const refused = await account.post(PATH, {
      url: 'ftp://example.com',
      events: ['call.paused'],
      secrets: ['short'],
    });
    expect(refused.body.errors!.map(({ path }) => path).sort()).toEqual(['events.0', 'secrets.0', 'url']);
    expect((await account.post(PATH, { ...hook, events: [] })).status).toBe(400);
    expect(
      (await account.post(PATH, { ...hook, url: `https://example.com/${'x'.repeat(200)}` })).status,
    ).toBe(400);
  });

  it('reject URLs at forbidden addresses', async () => {
    const url = 'http://10.0.0.1/hook';
    const issue = { status: 400, body: { errors: [{ path: 'url' }] } };
    expect(await account.post(PATH, { ...hook, url })).toMatchObject(issue);
    const { body } = await account.post<Webhook>(PATH, hook);
    expect(await account.send('PATCH', `${PATH}/${body.webhookId}`, { url })).toMatchObject(issue);
    expect(await account.send('PUT', `${PATH}/${body.webhookId}`, { ...hook, url })).toMatchObject(issue);
  });

  it('are not accessible to other accounts', async () => {
    const other = await harness.account();
    const { body } = await other.post<Webhook>(PATH, hook);
    const path = `${PATH}/${body.webhookId}`;
    for (const [method, sent] of [['GET'], ['PATCH', {}], ['PUT', hook], ['DELETE']] as const) {
      expect([method, (await account.send(method, path, sent)).status]).toEqual([method, 404]);
    }
  });
});
