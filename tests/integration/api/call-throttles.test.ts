import { afterAll, describe, expect, it } from '@jest/globals';
import type { CallThrottle } from '@calls/api-contract/rest/call-throttle';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

const PATH = '/api/call_throttles';
const rules = [{ maxCalls: 3, windowSeconds: 60 }];

describe('call throttles', () => {
  it('are created, read, replaced, changed and deleted', async () => {
    const created = await account.post<CallThrottle>(PATH, { name: 'evening', rules });
    expect(created).toMatchObject({ status: 201, body: { name: 'evening', rules } });
    const path = `${PATH}/${created.body.throttleId}`;
    expect((await account.request<CallThrottle>(path)).body).toEqual(created.body);

    const wider = [{ maxCalls: 100, windowSeconds: 86_400 }];
    const changed = await account.send<CallThrottle>('PATCH', path, { rules: wider });
    expect(changed).toMatchObject({ status: 200, body: { ...created.body, rules: wider } });
    const replaced = await account.send<CallThrottle>('PUT', path, { name: 'night', rules });
    expect(replaced).toMatchObject({ status: 200, body: { ...created.body, name: 'night' } });

    expect((await account.send('DELETE', path)).status).toBe(204);
    expect((await account.request(path)).status).toBe(404);
    expect((await account.send('DELETE', path)).status).toBe(404);
  });

  it('require a unique name within the account', async () => {
    const other = await harness.account();
    expect((await account.post(PATH, { name: 'twice', rules })).status).toBe(201);
    expect(await account.post(PATH, { name: 'twice', rules })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect((await other.post(PATH, { name: 'twice', rules })).status).toBe(201);
  });

  it('ignore read-only fields and reject values outside their limits', async () => {
    const given = { throttleId: 'mine', created: 5, name: 'ignored', rules };
    const created = await account.post<CallThrottle>(PATH, given);
    expect(created.status).toBe(201);
    expect(created.body.throttleId).not.toBe('mine');
    const refused = await account.post(PATH, {
      name: 'x'.repeat(65),
      rules: [{ maxCalls: 0, windowSeconds: 1.5 }],
    });
    expect(refused.status).toBe(400);
    expect(refused.body.errors!.map((issue) => issue.path).sort()).toEqual([
      'name',
      'rules.0.maxCalls',
      'rules.0.windowSeconds',
    ]);
  });

  it('are listed newest first and only for their account', async () => {
    const lister = await harness.account();
    for (const name of ['a', 'b', 'c']) await lister.post(PATH, { name, rules });
    const first = await lister.list<CallThrottle>(`${PATH}?pageSize=2`);
    expect(first.results.map(({ name }) => name)).toEqual(['c', 'b']);
    const second = await lister.list<CallThrottle>(first.next!);
    expect(second).toMatchObject({ results: [{ name: 'a' }], next: null, total: 3 });
  });
});
