import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createAdminClient, type AdminSchemas } from '@calls/api-client/admin';
import type { OpenApiDocument } from '@calls/api-contract/openapi/openapi-document';
import { operations } from '@calls/api-contract/operations';
import { adminOperations } from '@calls/api-contract/operations/admin.operations';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import { newId } from '@calls/foundation/ids';
import { deleteOldAuditLogEntries } from '@calls/store/tables/audit-log';
import { deleteCallsOfDeletedAccounts } from '@calls/store/tables/deleted-calls';
import { ADMIN_TOKEN, ControlPlaneHarness, TestAccount } from '../../support/control-plane-harness.ts';

const MEDIUM = { serverWebSocket: { inputSampleRate: 16_000 } };
const ACCOUNT = '/admin/api/accounts/{account_id}';
const KEYS = `${ACCOUNT}/api_keys` as const;
const REQUEST_LIMIT_MS = 30_000;
const WRONG_TOKENS_PER_MINUTE = 60;

const harness = await ControlPlaneHarness.start();
const admin = createAdminClient({
  baseUrl: harness.adminUrl,
  token: ADMIN_TOKEN,
  requestLimitMs: REQUEST_LIMIT_MS,
});
afterAll(() => harness.stop());

interface Managed {
  account: AdminSchemas['AdminAccount'];
  key: AdminSchemas['APIKeyCreate'];
  /** Client of the accounts API with the key. */
  api: TestAccount;
  params: { path: { account_id: string } };
}

/** Creates an account and its first key through the admin API. */
async function managed(settings: Partial<AdminSchemas['AdminAccountRequest']> = {}): Promise<Managed> {
  const body = { name: 'Seaview Hotels', plan: 'SCALE' as const, ...settings };
  const { data: account } = await admin.POST('/admin/api/accounts', { body });
  const params = { path: { account_id: account!.accountId } };
  const { data: key } = await admin.POST(KEYS, { params, body: { name: 'production' } });
  const api = new TestAccount(harness.url, account!.accountId, '', key!.secret);
  return { account: account!, key: key!, api, params };
}

describe('the admin API', () => {
  it('rejects requests without an admin token, including those with an API key', async () => {
    const { key } = await managed();
    const refused = async (url: string, headers: Record<string, string>) => {
      const response = await fetch(url, { headers });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    const url = `${harness.adminUrl}/admin/api/accounts`;
    const wrong: Record<string, string>[] = [
      {},
      { Authorization: `Bearer ${key.secret}` },
      { 'X-API-Key': key.secret },
      { 'X-API-Key': ADMIN_TOKEN },
      { Authorization: ADMIN_TOKEN },
    ];
    for (const headers of wrong) expect(await refused(url, headers)).toEqual([401, 'unauthorized']);
    const token = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    expect((await fetch(`${harness.url}/api/accounts/me`, { headers: token })).status).toBe(401);
    expect((await fetch(`${harness.url}/admin/api/accounts`, { headers: token })).status).toBe(404);
  });

  it('rate-limits invalid tokens by address and still accepts valid ones', async () => {
    const url = `${harness.adminUrl}/admin/api/accounts`;
    const ask = (token: string) => fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    const refusals: Response[] = [];
    // With more requests than two windows allow, some exceed the limit even if they span two minutes.
    for (let sent = 0; sent <= 2 * WRONG_TOKENS_PER_MINUTE && refusals.at(-1)?.status !== 429; sent += 1)
      refusals.push(await ask(`wrong-${sent}`));
    const last = refusals.pop()!;
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([401]));
    expect([last.status, await last.json()]).toMatchObject([429, { code: 'api_rate' }]);
    expect(Number(last.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await ask(ADMIN_TOKEN)).status).toBe(200);
  });

  it('has its own API description and serves every described path', async () => {
    const described = await fetch(`${harness.adminUrl}/admin/api/schema`);
    const { paths, security } = (await described.json()) as OpenApiDocument;
    expect(security).toEqual([{ adminToken: [] }]);
    expect(new Set(Object.keys(paths))).toEqual(new Set(adminOperations.map(({ path }) => path)));
    expect(operations.filter(({ path }) => path.startsWith('/admin'))).toEqual([]);
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' };
    for (const { method, path, status, body, example } of adminOperations.filter((each) =>
      each.path.includes('{'),
    )) {
      const url = `${harness.adminUrl}${path.replace('{api_key_prefix}', 'Ab3dE6gH').replace('{account_id}', newId())}`;
      const request = { method, headers, ...(body && { body: JSON.stringify(example.body) }) };
      const response = await fetch(url, request);
      expect([method, path, response.status]).toEqual([method, path, 404]);
      expect(await response.json()).toMatchObject({ code: 'not_found', detail: 'Account not found.' });
      expect(status).toBeLessThan(300);
    }
  });
});

describe('an account created by an administrator', () => {
  it('has the requested plan, features and limits', async () => {
    const limits = { concurrentCalls: 1 };
    const { account, api, params } = await managed({ features: ['sip'], limits });
    expect(account).toMatchObject({ status: 'active', plan: 'SCALE', features: ['sip'], limits });
    expect(account.effectiveLimits).toMatchObject({
      concurrentCalls: 1,
      callCreationPerMinute: expect.any(Number),
    });
    await api.createCall();
    const refused = await api.post('/api/calls', { medium: MEDIUM });
    expect([refused.status, refused.body.code]).toEqual([429, 'concurrency']);
    const { data: changed } = await admin.PATCH(ACCOUNT, { params, body: { limits: {}, name: 'Hillview' } });
    expect(changed).toMatchObject({ name: 'Hillview', limits: {}, plan: 'SCALE', activeCalls: 1 });
    await api.createCall();
  });

  it('is FREE by default, and its fields are validated', async () => {
    const { data } = await admin.POST('/admin/api/accounts', { body: { name: 'small' } });
    expect(data).toMatchObject({ plan: 'FREE', features: [], limits: {} });
    const misspelled: object = { concurrentCall: 3 };
    const body = { name: '', limits: misspelled };
    const { error } = await admin.POST('/admin/api/accounts', { body });
    expect(error?.errors?.map(({ path }) => path).sort()).toEqual(['limits.concurrentCall', 'name']);
  });

  it('can be found by status and by part of the name', async () => {
    const { account, params } = await managed({ name: '100 % Harbour' });
    const list = async (query: { search?: string; status?: 'active' | 'suspended' }) => {
      const { data } = await admin.GET('/admin/api/accounts', { params: { query } });
      return data!.results.map(({ accountId }) => accountId);
    };
    expect(await list({ search: '% harb' })).toEqual([account.accountId]);
    await admin.POST(`${ACCOUNT}/suspend`, { params, body: { reason: 'unpaid' } });
    expect(await list({ search: 'harbour', status: 'active' })).toEqual([]);
    expect(await list({ status: 'suspended' })).toContain(account.accountId);
  });

  it('rejects new calls and test runs while it is suspended and keeps its live calls', async () => {
    const { api, params } = await managed();
    const call = await api.createCall();
    const agent = await api.post<Agent>('/api/agents', {
      name: 'Ada',
      callTemplate: { systemPrompt: 'Be brief.' },
    });
    const { data: suspended } = await admin.POST(`${ACCOUNT}/suspend`, {
      params,
      body: { reason: 'unpaid' },
    });
    expect(suspended).toMatchObject({ status: 'suspended', suspensionReason: 'unpaid', activeCalls: 1 });
    const refused = await api.post('/api/calls', { medium: MEDIUM });
    expect([refused.status, refused.body.code]).toEqual([403, 'account_suspended']);
    const scenarios = [{ name: 'greets', caller: { script: [{ say: 'Hello.' }] } }];
    const testRun = await api.post('/api/test_runs', { agentId: agent.body.agentId, scenarios });
    expect([testRun.status, testRun.body.code]).toEqual([403, 'account_suspended']);
    expect(await api.get<Call>(`/api/calls/${call.callId}`)).toMatchObject({ ended: null });
    const { data: resumed } = await admin.POST(`${ACCOUNT}/resume`, { params });
    expect(resumed).toMatchObject({ status: 'active', suspended: null, suspensionReason: null });
    await api.createCall();
  });

  it('has keys that can be created, rotated and revoked', async () => {
    const { api, key, params } = await managed();
    const works = async (secret: string): Promise<boolean> =>
      (await api.request('/api/accounts/me', { headers: { 'X-API-Key': secret } })).status === 200;
    const ofKey = (prefix: string) => ({ path: { ...params.path, api_key_prefix: prefix } });
    const rotate = `${KEYS}/{api_key_prefix}/rotate` as const;
    const { data: second } = await admin.POST(rotate, {
      params: ofKey(key.prefix),
      body: { graceSeconds: 60 },
    });
    expect(second).toMatchObject({ name: 'production', creator: null, revoked: false });
    expect([await works(key.secret), await works(second!.secret)]).toEqual([true, true]);
    const { data: third } = await admin.POST(rotate, { params: ofKey(second!.prefix), body: {} });
    expect([await works(second!.secret), await works(third!.secret)]).toEqual([false, true]);
    const { response } = await admin.POST(rotate, { params: ofKey(second!.prefix), body: {} });
    expect(response.status).toBe(409);
    await admin.POST(`${KEYS}/{api_key_prefix}/revoke`, { params: ofKey(third!.prefix) });
    expect(await works(third!.secret)).toBe(false);
    const { data: keys } = await admin.GET(KEYS, { params });
    expect(keys!.results.map(({ prefix, revoked }) => [prefix, revoked])).toEqual([
      [third!.prefix, true],
      [second!.prefix, true],
      [key.prefix, false],
    ]);
    expect(JSON.stringify(keys)).not.toContain(key.secret.slice(9));
    const { data: usage } = await admin.GET(`${ACCOUNT}/usage`, { params });
    expect(usage).toMatchObject({ totalMinutes: 0, totalSipMinutes: 0 });
  });

  it('has keys that keep their role when they are rotated', async () => {
    const { params } = await managed();
    const { data: key } = await admin.POST(KEYS, { params, body: { name: 'Vi', role: 'viewer' } });
    const path = { ...params.path, api_key_prefix: key!.prefix };
    const rotate = `${KEYS}/{api_key_prefix}/rotate` as const;
    const { data: rotated } = await admin.POST(rotate, { params: { path }, body: {} });
    expect(rotated).toMatchObject({ name: 'Vi', role: 'viewer' });
  });
});

describe('the deletion of an account', () => {
  it('is rejected while calls are live, and revokes the keys', async () => {
    const { api, params } = await managed();
    const call = await api.createCall();
    const { error } = await admin.DELETE(ACCOUNT, { params });
    expect(error?.code).toBe('account_live');
    await harness.query(
      `update calls set ended_at = now(), end_reason = 'unjoined',
         billing_status = 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION' where call_id = $1`,
      call.callId,
    );
    const { response } = await admin.DELETE(ACCOUNT, { params });
    expect(response.status).toBe(204);
    expect((await api.request('/api/accounts/me')).status).toBe(401);
    const { data: deleted } = await admin.GET(ACCOUNT, { params });
    expect(deleted).toMatchObject({ status: 'deleted', deleted: expect.any(String) });
    const changed = await admin.PATCH(ACCOUNT, { params, body: { plan: 'PRO' } });
    expect(changed.error?.code).toBe('account_deleted');
    const { accountId } = deleted!;
    const { data: log } = await admin.GET('/admin/api/audit_log', { params: { query: { accountId } } });
    expect(log!.results[0]).toMatchObject({
      action: 'account.deleted',
      changes: { deleted: { before: false, after: true } },
    });
    expect(await deleteCallsOfDeletedAccounts(harness.store.db, 10)).toBe(1);
    const { rows } = await harness.query(`select deleted_at from call_facts where call_id = $1`, call.callId);
    expect(rows).toEqual([{ deleted_at: expect.any(Date) }]);
  });
});

describe('the secrets of a deleted account', () => {
  const SECRET = 'a-secret-of-sixteen-and-more';

  it('are removed from agents, voices and scheduled batches, which remain', async () => {
    const { account, api, params } = await managed({ features: ['sip'] });
    const made = async <T>(path: string, body: unknown): Promise<T> => {
      const response = await api.post<T>(path, body);
      expect([path, response.status]).toEqual([path, 201]);
      return response.body;
    };
    const headers = { Authorization: SECRET };
    const dataConnection = { websocketUrl: 'wss://data.test', headers };
    const callTemplate = { medium: MEDIUM, dataConnection };
    const { agentId } = await made<{ agentId: string }>('/api/agents', { name: 'Ada', callTemplate });
    const definition = { generic: { url: 'https://voices.example.com/a', headers } };
    await made('/api/voices', { name: 'own', definition });
    const sip = { sip: { outgoing: { to: 'sip:a@example.com', from: 'b', password: SECRET } } };
    const webhook = { webhookUrl: 'https://example.com/hook', webhookSecret: SECRET };
    const batch = { paused: true, calls: [{ medium: sip }], ...webhook };
    await made(`/api/agents/${agentId}/scheduled_batches`, batch);
    const stored = async (): Promise<string[]> => {
      const { rows } = await harness.query(
        `select 'agent' as what, template::text as text from agent_revisions natural join agents where account_id = $1
         union all select 'voice', engine_settings::text from voices where account_id = $1
         union all select 'batch', webhook_secret from scheduled_batches where account_id = $1
         union all select 'call', request::text from scheduled_calls natural join scheduled_batches where account_id = $1`,
        account.accountId,
      );
      return rows.map(({ what, text }) => `${String(what)} ${String(text).includes('sealed:v1:')}`).sort();
    };
    expect(await stored()).toEqual(['agent true', 'batch true', 'call true', 'voice true']);
    const other = await managed({ name: 'other' });
    await other.api.post('/api/agents', { name: 'Bob', callTemplate });
    expect((await admin.DELETE(ACCOUNT, { params })).response.status).toBe(204);
    expect(await stored()).toEqual(['agent false', 'batch false', 'call false', 'voice false']);
    const { rows } = await harness.query(
      `select 1 from agent_revisions natural join agents where account_id = $1 and template::text like '%sealed:v1:%'`,
      other.account.accountId,
    );
    expect(rows).toHaveLength(1);
  });
});

describe('the audit log', () => {
  it('records actor, action and changed fields, without secrets', async () => {
    const { account, key, params } = await managed();
    const { response } = await admin.PATCH(ACCOUNT, { params, body: { plan: 'PRO' } });
    // The audit log does not record a request that changes nothing.
    await admin.PATCH(ACCOUNT, { params, body: { plan: 'PRO' } });
    const { accountId } = account;
    const { data } = await admin.GET('/admin/api/audit_log', {
      params: { query: { accountId, pageSize: 2 } },
    });
    expect(data!.total).toBe(3);
    expect(data!.results[0]).toEqual({
      entryId: expect.any(String),
      time: expect.any(String),
      administrator: 'test',
      action: 'account.updated',
      accountId,
      apiKeyPrefix: null,
      changes: { plan: { before: 'SCALE', after: 'PRO' } },
      sourceAddress: expect.stringContaining('127.0.0.1'),
      requestId: response.headers.get('X-Request-Id'),
    });
    expect(data!.results[1]).toMatchObject({ action: 'api_key.created', apiKeyPrefix: key.prefix });
    const rest = await fetch(data!.next!, { headers: { Authorization: `Bearer ${ADMIN_TOKEN}` } });
    const { results } = (await rest.json()) as AdminSchemas['PaginatedAuditLogEntryList'];
    expect(results.map(({ action }) => action)).toEqual(['account.created']);
    const { rows } = await harness.query('select audit_log::text as row from audit_log');
    const log = rows.map(({ row }) => String(row)).join('\n');
    for (const secret of [key.secret, key.secret.slice(9), ADMIN_TOKEN]) expect(log).not.toContain(secret);
  });

  it('has immutable entries that are deleted after the retention period', async () => {
    await managed();
    await harness.query(
      `insert into audit_log select gen_random_uuid(), at - interval '40 days', administrator, action, account_id,
         api_key_prefix, changes, source_address, request_id from audit_log limit 1`,
    );
    const due = { olderThanDays: 30, limit: 10 };
    expect(await deleteOldAuditLogEntries(harness.store.db, due)).toBe(1);
    expect(await deleteOldAuditLogEntries(harness.store.db, due)).toBe(0);
    await expect(harness.query(`update audit_log set administrator = 'other'`)).rejects.toThrow(
      'never change',
    );
  });
});

describe('npm run admin', () => {
  const run = promisify(execFile);
  const main = new URL('../../../services/control-plane/src/admin-cli/main.ts', import.meta.url).pathname;
  const cli = (...args: string[]) => cliAs(ADMIN_TOKEN, ...args);
  const cliAs = (token: string, ...args: string[]) => {
    const env = { PATH: process.env['PATH'], ADMIN_URL: harness.adminUrl, ADMIN_TOKEN: token };
    return run(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], { env });
  };

  it('creates an account and prints it', async () => {
    const limits = ['--limit', 'concurrentCalls=7', '--limit', 'freeMinutes=none'];
    const { stdout } = await cli('accounts', 'create', '--name', 'By hand', ...limits, '--json');
    const account = JSON.parse(stdout) as AdminSchemas['AdminAccount'];
    expect(account).toMatchObject({ name: 'By hand', limits: { concurrentCalls: 7, freeMinutes: null } });
    const list = await cli('accounts', 'list', '--search', 'by hand');
    expect(list.stdout).toMatch(/^accountId +name +plan +status +activeCalls +created\n/u);
    expect(list.stdout).toContain(`${account.accountId}  By hand  FREE  active  0`);
  });

  it('rejects an ADMIN_TOKEN that is not a token, such as the placeholder … of the guide', async () => {
    await expect(cliAs('…', 'accounts', 'list')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ADMIN_TOKEN must be a token'),
    });
  });

  it('reports why a request is invalid', async () => {
    await expect(cli('accounts', 'create', '--name', 'x', '--plan', 'GOLD')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('plan: must be'),
    });
    await expect(cli('accounts', 'create')).rejects.toMatchObject({
      code: 2,
      stderr: '--name is required.\nSee --help.\n',
    });
  });
});
