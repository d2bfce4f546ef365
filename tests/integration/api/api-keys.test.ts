import { afterAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { Account } from '@calls/api-contract/rest/account';
import type { ApiKey, ApiKeyCreate } from '@calls/api-contract/rest/api-key';
import type { CreatedInvitation, Invitation } from '@calls/api-contract/rest/invitation';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
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
    const restored = { revoked: false, name: 'restored', role: 'viewer' };
    expect(await account.send('PATCH', path, restored)).toMatchObject({ status: 409 });
    expect(await account.request(path)).toMatchObject({
      body: { name: revoked.name, role: 'administrator' },
    });
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
    const expiryDate = new Date(Date.now() + 4000).toISOString();
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

describe('roles of API keys', () => {
  const as = (secret: string, method: string, path: string, body?: unknown) =>
    account.request<{ code?: string; joinUrl?: string | null }>(path, {
      method,
      headers: { 'X-API-Key': secret, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const refused = { status: 403, body: { code: 'role_not_allowed' } };

  it('let viewers read calls without a join URL and reject changes', async () => {
    const { secret } = await create({ name: 'Vi', role: 'viewer' });
    const call = await account.createCall();
    expect(await as(secret, 'GET', `/api/calls/${call.callId}`)).toMatchObject({
      status: 200,
      body: { joinUrl: null },
    });
    expect(await as(secret, 'POST', '/api/calls', {})).toMatchObject(refused);
    expect(await as(secret, 'DELETE', `/api/calls/${call.callId}`)).toMatchObject(refused);
  });

  it('let members change everything except keys and invitations', async () => {
    const { secret, prefix } = await create({ name: 'Mel', role: 'member' });
    expect(await as(secret, 'POST', '/api/calls', {})).toMatchObject({ status: 201 });
    expect(await as(secret, 'GET', PATH)).toMatchObject({ status: 200 });
    expect(await as(secret, 'POST', PATH, { name: 'more' })).toMatchObject(refused);
    expect(await as(secret, 'PATCH', `${PATH}/${prefix}`, { role: 'administrator' })).toMatchObject(refused);
    expect(await as(secret, 'POST', '/api/invitations', { name: 'Bo' })).toMatchObject(refused);
  });

  it('can be changed by administrators, except the role of their own key', async () => {
    const { secret, prefix, role } = await create({ name: 'Ad' });
    expect(role).toBe('administrator');
    expect(await account.send('PATCH', `${PATH}/${prefix}`, { name: 'Ada', role: 'viewer' })).toMatchObject({
      status: 200,
      body: { name: 'Ada', role: 'viewer' },
    });
    expect(await as(secret, 'POST', '/api/calls', {})).toMatchObject(refused);
    const own = `${PATH}/${account.key.slice(0, 8)}`;
    expect(await account.send('PATCH', own, { role: 'member' })).toMatchObject({ status: 409 });
    const read = await eventually(async () => {
      const { body } = await account.request<ApiKey>(`${PATH}/${prefix}`);
      if (body.lastUsed === null) throw new Error('the use is not recorded yet');
      return body;
    });
    expect(Date.parse(read.lastUsed ?? '')).toBeGreaterThan(Date.parse(read.created) - 1);
  });

  it('always leave the account at least one administrator', async () => {
    const lone = await harness.account();
    const change = (key: string, method: string, prefix: string, body?: object) =>
      lone.request<{ code?: string }>(`${PATH}/${prefix}`, {
        method,
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    const first = lone.key.slice(0, 8);
    const last = { status: 409, body: { code: 'last_administrator' } };
    expect(await change(lone.key, 'PATCH', first, { revoked: true })).toMatchObject(last);
    expect(await change(lone.key, 'DELETE', first)).toMatchObject(last);
    const { body: second } = await lone.post<ApiKeyCreate>(PATH, { name: 'second' });
    // Each removes the other at the same time.
    const both = await Promise.all([
      change(lone.key, 'DELETE', second.prefix),
      change(second.secret, 'PATCH', first, { role: 'member' }),
    ]);
    expect(both.filter(({ status }) => status < 300)).toHaveLength(1);
  });
});

describe('invitations of an account', () => {
  const invitations = '/api/invitations';

  it('create one key with the name and role, and can be accepted once', async () => {
    const { body: invited } = await account.post<CreatedInvitation>(invitations, {
      name: 'Bo',
      role: 'viewer',
    });
    const { url, ...shown } = invited;
    expect((await account.list<Invitation>(invitations)).results).toEqual([shown]);
    const accept = () =>
      fetch(`${harness.url}/console/invitation`, {
        method: 'POST',
        headers: { 'X-Console': '1', 'Content-Type': 'application/json' },
        body: JSON.stringify({ token: new URL(url).hash.slice(1) }),
      });
    const accepted = (await (await accept()).json()) as {
      session: { key: { prefix: string; role: string } };
    };
    expect(accepted.session.key.role).toBe('viewer');
    const { body: key } = await account.request<ApiKey>(`${PATH}/${accepted.session.key.prefix}`);
    expect(key).toMatchObject({ name: 'Bo', role: 'viewer', creator: account.key.slice(0, 8) });
    expect((await accept()).status).toBe(404);
    expect((await account.list<Invitation>(invitations)).total).toBe(0);
  });

  it('can be withdrawn only by their account', async () => {
    const { body: invited } = await account.post<CreatedInvitation>(invitations, { name: 'Bo' });
    expect(invited.role).toBe('member');
    const path = `${invitations}/${invited.invitationId}`;
    expect((await (await harness.account()).send('DELETE', path)).status).toBe(404);
    expect((await account.send('DELETE', path)).status).toBe(204);
    expect((await account.send('DELETE', path)).status).toBe(404);
  });
});
