import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { Account } from '@calls/api-contract/rest/account';
import type { ApiKey, ApiKeyCreate } from '@calls/api-contract/rest/api-key';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

let harness: ControlPlaneHarness;
let account: TestAccount;

beforeAll(async () => {
  harness = await ControlPlaneHarness.start();
  account = await harness.account();
});
afterAll(() => harness.stop());

const PATH = '/api/api_keys';
const create = async (body: Record<string, unknown> = { name: 'second' }): Promise<ApiKeyCreate> => {
  const created = await account.post<ApiKeyCreate>(PATH, body);
  expect(created.status).toBe(201);
  return created.body;
};
const works = async (secret: string): Promise<boolean> =>
  (await account.request(PATH, { headers: { 'X-API-Key': secret } })).status === 200;

describe('API keys', () => {
  it('are shown in full once and stored as a hash', async () => {
    const created = await create();
    expect(created.secret).toMatch(/^[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}$/u);
    expect(created).toMatchObject({ prefix: created.secret.slice(0, 8), creator: account.key.slice(0, 8) });
    expect(await works(created.secret)).toBe(true);
    const read = await account.request<ApiKey>(`${PATH}/${created.prefix}`);
    expect(read.body).not.toHaveProperty('secret');
    const [, hidden = ''] = created.secret.split('.');
    const { rows } = await harness.query(`select api_keys::text as row, hash from api_keys`);
    expect(rows.some((row) => String(row['row']).includes(hidden))).toBe(false);
    const hash = createHash('sha256').update(created.secret).digest('hex');
    expect(rows.map((row) => (row['hash'] as Buffer).toString('hex'))).toContain(hash);
  });

  it('stop working immediately when revoked or deleted and cannot be reactivated', async () => {
    const revoked = await create();
    expect(await works(revoked.secret)).toBe(true);
    const path = `${PATH}/${revoked.prefix}`;
    expect(await account.send('PATCH', path, { revoked: true })).toMatchObject({
      status: 200,
      body: { revoked: true },
    });
    expect(await works(revoked.secret)).toBe(false);
    expect(await account.send('PATCH', path, { revoked: false })).toMatchObject({ status: 409 });
    expect(await account.send('PUT', path, {})).toMatchObject({ status: 200, body: { revoked: true } });

    const deleted = await create();
    expect(await works(deleted.secret)).toBe(true);
    expect((await account.send('DELETE', `${PATH}/${deleted.prefix}`)).status).toBe(204);
    expect(await works(deleted.secret)).toBe(false);
    expect((await account.request(`${PATH}/${deleted.prefix}`)).status).toBe(404);
  });

  it('stop working after their expiry', async () => {
    const later = await create({ name: 'long', expiryDate: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await works(later.secret)).toBe(true);
    const expiryDate = new Date(Date.now() + 800).toISOString();
    const short = await create({ name: 'short', expiryDate });
    expect(short.expiryDate).toBe(expiryDate);
    await eventually(async () => expect(await works(short.secret)).toBe(false));
    const past = await account.post(PATH, { name: 'past', expiryDate: '2020-01-01T00:00:00Z' });
    expect(past.body.errors).toEqual([{ path: 'expiryDate', message: 'must be in the future' }]);
  });

  it('are not accessible to other accounts', async () => {
    const other = await harness.account();
    const path = `${PATH}/${other.key.slice(0, 8)}`;
    for (const [method, body] of [['GET'], ['PATCH', { revoked: true }], ['DELETE']] as const) {
      expect([method, (await account.send(method, path, body)).status]).toEqual([method, 404]);
    }
    expect((await other.list<ApiKey>(PATH)).total).toBe(1);
  });
});

describe('the account', () => {
  it('shows its plan, its live calls and its remaining free time', async () => {
    const free = await harness.account('FREE');
    await free.createCall({ maxDuration: '60s' });
    const { body } = await free.request<Account>('/api/accounts/me');
    expect(body).toMatchObject({
      accountId: free.accountId,
      freeTimeUsed: '0s',
      freeTimeRemaining: '1800s',
      hasActiveSubscription: false,
      subscriptionTier: null,
      activeCalls: 1,
      allowedConcurrentCalls: 5,
    });
    const scale = await account.request<Account>('/api/accounts/me');
    expect(scale.body).toMatchObject({
      hasActiveSubscription: true,
      subscriptionTier: 'SCALE',
      allowedConcurrentCalls: null,
    });
  });
});
