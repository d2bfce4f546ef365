import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { SipConfig, SipRegistration } from '@calls/api-contract/rest/sip';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const sipAccount = (): Promise<TestAccount> => harness.account('SCALE', null, ['sip']);
const account = await sipAccount();
afterAll(() => harness.stop());

const CONFIG = '/api/sip';
const REGISTRATIONS = '/api/sip/registrations';
const change = (body: unknown, by = account) => by.send<SipConfig>('PATCH', CONFIG, body);
const issuePaths = async (body: unknown): Promise<string[]> => {
  const refused = await account.send('PATCH', CONFIG, body);
  expect(refused.status).toBe(400);
  return refused.body.errors!.map(({ path }) => path);
};
async function agentOf(owner: TestAccount): Promise<string> {
  return (await owner.post<Agent>('/api/agents', { name: 'Ada' })).body.agentId;
}

describe('the SIP configuration', () => {
  it('allows no callers by default and updates only the given fields', async () => {
    const fresh = await sipAccount();
    const initial = {
      allowedCidrRanges: [],
      allowAllAgents: false,
      allowedAgents: [],
      domain: `${fresh.accountId}.sip.test`,
    };
    expect((await fresh.request<SipConfig>(CONFIG)).body).toEqual(initial);
    expect((await change({}, fresh)).body).toEqual(initial);
    const agentId = await agentOf(fresh);
    const first = { allowedCidrRanges: ['203.0.113.0/24', '0.0.0.0/0'], allowedAgents: [{ agentId }] };
    expect((await change({ ...first, domain: 'ignored' }, fresh)).body).toEqual({ ...initial, ...first });
    const second = { allowAllAgents: true, allowedAgents: [{ agentId, toUserPattern: '^\\+1[0-9]{10}$' }] };
    const changed = await change(second, fresh);
    expect([changed.status, changed.body]).toEqual([200, { ...initial, ...first, ...second }]);
    expect((await fresh.request<SipConfig>(CONFIG)).body).toEqual(changed.body);
  });

  it('stops allowing an agent that is deleted', async () => {
    const fresh = await sipAccount();
    const [deleted, left] = [await agentOf(fresh), await agentOf(fresh)];
    const allowedAgents = [{ agentId: deleted.toUpperCase() }, { agentId: left, toUserPattern: '1' }];
    expect((await change({ allowedAgents }, fresh)).status).toBe(200);
    expect((await fresh.send('DELETE', `/api/agents/${deleted}`)).status).toBe(204);
    const { body } = await fresh.request<SipConfig>(CONFIG);
    expect(body.allowedAgents).toEqual([{ agentId: left, toUserPattern: '1' }]);
  });

  it('stores fallback handler secrets encrypted and returns generated ones once', async () => {
    const url = 'https://example.com/sip';
    const madeUp = await change({ fallbackHandler: { url } });
    expect(madeUp.body.fallbackHandler).toEqual({
      url,
      secrets: [expect.stringMatching(/^[A-Za-z0-9]{32}$/u)],
    });
    const shown = await account.request<SipConfig>(CONFIG);
    expect(shown.body.fallbackHandler).toEqual({ url });
    const secrets = ['a secret of sixteen', 'another one of these'];
    expect((await change({ fallbackHandler: { url, secrets } })).body.fallbackHandler).toEqual({ url });
    const stored = async () =>
      (
        await harness.query(
          'select fallback_handler as handler from sip_configs where account_id = $1',
          account.accountId,
        )
      ).rows[0]!['handler'] as { secrets: string[] };
    const before = await stored();
    const moved = { url: 'https://example.com/b' };
    expect((await change({ fallbackHandler: moved })).body.fallbackHandler).toEqual(moved);
    expect((await stored()).secrets).toEqual(before.secrets);
    const { rows } = await harness.query('select sip_configs::text as row from sip_configs');
    expect(rows.some((row) => String(row['row']).includes('example.com/b'))).toBe(true);
    expect(rows.some((row) => String(row['row']).includes(secrets[0]!))).toBe(false);
    expect((await change({ fallbackHandler: null })).body).not.toHaveProperty('fallbackHandler');
  });

  it.each([
    '10.0.0.0',
    '10.0.0.0/33',
    '256.0.0.0/8',
    '10.0.0/8',
    '010.0.0.0/8',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '::1/128',
    '',
  ])('rejects the range %j', async (range) => {
    expect(await issuePaths({ allowedCidrRanges: ['10.0.0.0/8', range] })).toEqual(['allowedCidrRanges.1']);
  });

  it('accepts at most twenty agents of the account and only valid patterns', async () => {
    const agentId = await agentOf(account);
    const foreign = await agentOf(await harness.account());
    expect(
      await issuePaths({
        allowedAgents: [
          { agentId, toUserPattern: '(' },
          { agentId: foreign },
          { agentId, toUserPattern: '(a)\\1' },
          { agentId },
        ],
      }),
    ).toEqual(['allowedAgents.0.toUserPattern', 'allowedAgents.2.toUserPattern', 'allowedAgents.1.agentId']);
    expect(await issuePaths({ allowedAgents: [{ agentId, toUserPattern: 'x'.repeat(201) }] })).toEqual([
      'allowedAgents.0.toUserPattern',
    ]);
    const allowedAgents = Array.from({ length: 21 }, () => ({ agentId }));
    expect(await issuePaths({ allowedAgents })).toEqual(['allowedAgents']);
    expect((await change({ allowedAgents: allowedAgents.slice(1) })).status).toBe(200);
  });

  it('rejects invalid fallback handlers', async () => {
    const url = 'https://example.com/sip';
    expect(await issuePaths({ fallbackHandler: { url, secrets: [] } })).toEqual(['fallbackHandler.secrets']);
    expect(await issuePaths({ fallbackHandler: { url, secrets: ['short'] } })).toEqual([
      'fallbackHandler.secrets.0',
    ]);
    const eleven = Array.from({ length: 11 }, (_, i) => `a secret of sixteen ${i}`);
    expect(await issuePaths({ fallbackHandler: { url, secrets: eleven } })).toEqual([
      'fallbackHandler.secrets',
    ]);
    expect(await issuePaths({ fallbackHandler: { url, secrets: ['x'.repeat(121)] } })).toEqual([
      'fallbackHandler.secrets.0',
    ]);
    expect(await issuePaths({ fallbackHandler: { url: 'ftp://example.com' } })).toEqual([
      'fallbackHandler.url',
    ]);
    expect(await issuePaths({ fallbackHandler: { url: 'http://169.254.169.254/' } })).toEqual([
      'fallbackHandler.url',
    ]);
  });

  it('requires the account feature', async () => {
    const other = await harness.account();
    const id = `${REGISTRATIONS}/${await agentOf(other)}`;
    for (const [method, path, body] of [
      ['GET', CONFIG],
      ['PATCH', CONFIG, {}],
      ['GET', REGISTRATIONS],
      ['POST', REGISTRATIONS, registration],
      ['GET', id],
      ['PATCH', id, {}],
      ['DELETE', id],
    ] as const) {
      const { status, body: error } = await other.send(method, path, body);
      expect([method, path, status, error.code]).toEqual([method, path, 403, 'feature_not_enabled']);
    }
  });
});

const registration = { username: 'ada', password: 'a password of hers', proxy: 'sip.example.com' };

describe('SIP registrations', () => {
  it('are created, read, changed, listed and deleted', async () => {
    const owner = await sipAccount();
    const created = await owner.post<SipRegistration>(REGISTRATIONS, registration);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      registrationId: expect.any(String),
      created: expect.any(String),
      username: 'ada',
      proxy: 'sip.example.com',
      outboundProxy: null,
      authUser: null,
      successful: null,
      lastError: null,
      expiresAt: null,
    });
    const path = `${REGISTRATIONS}/${created.body.registrationId}`;
    expect((await owner.request(path)).body).toEqual(created.body);
    const to = { username: 'eva', outboundProxy: 'out.example.com:5061', authUser: 'ada' };
    const changed = await owner.send<SipRegistration>('PATCH', path, { ...to, successful: true });
    expect([changed.status, changed.body]).toEqual([200, { ...created.body, ...to }]);
    expect((await owner.send('PATCH', path, { authUser: null })).body).toMatchObject({ authUser: null });
    await owner.post(REGISTRATIONS, registration);
    const { results, total } = await owner.list<SipRegistration>(REGISTRATIONS);
    expect([total, results.map(({ username }) => username)]).toEqual([2, ['ada', 'eva']]);
    expect((await owner.send('DELETE', path)).status).toBe(204);
    expect((await owner.request(path)).status).toBe(404);
  });

  it('have an unknown result until they register again when they are changed', async () => {
    const { body } = await account.post<SipRegistration>(REGISTRATIONS, {
      ...registration,
      username: 'tried',
    });
    const id = body.registrationId;
    await harness.query('update sip_registrations set successful = true where registration_id = $1', id);
    const path = `${REGISTRATIONS}/${id}`;
    expect((await account.request(path)).body).toMatchObject({ successful: true });
    const { status, body: changed } = await account.send('PATCH', path, { password: 'another password' });
    expect([status, changed]).toMatchObject([200, { successful: null }]);
  });

  it('have a unique user name per proxy within an account', async () => {
    const [owner, other] = [await sipAccount(), await sipAccount()];
    expect((await owner.post(REGISTRATIONS, registration)).status).toBe(201);
    expect((await owner.post(REGISTRATIONS, registration)).status).toBe(409);
    expect((await other.post(REGISTRATIONS, registration)).status).toBe(201);
    const second = { ...registration, proxy: 'sip.example.org' };
    const { status, body } = await owner.post<SipRegistration>(REGISTRATIONS, second);
    expect(status).toBe(201);
    const path = `${REGISTRATIONS}/${body.registrationId}`;
    expect((await owner.send('PATCH', path, { proxy: registration.proxy })).status).toBe(409);
    expect((await other.send('PATCH', path, {})).status).toBe(404);
    expect((await other.request(path)).status).toBe(404);
    expect((await other.send('DELETE', path)).status).toBe(404);
    expect((await other.request(`${REGISTRATIONS}/unknown`)).status).toBe(404);
  });

  it('store their passwords encrypted', async () => {
    const password = 'a confidential password';
    await account.post(REGISTRATIONS, { ...registration, username: 'sealed', password });
    await account.post(REGISTRATIONS, { ...registration, username: 'changed' });
    const { rows } = await harness.query('select sip_registrations::text as row from sip_registrations');
    expect(rows.some((row) => String(row['row']).includes('sealed'))).toBe(true);
    for (const secret of [password, registration.password]) {
      expect(rows.some((row) => String(row['row']).includes(secret))).toBe(false);
    }
  });

  it.each([
    ['username', { ...registration, username: 'x'.repeat(61) }],
    ['username', { ...registration, username: '' }],
    ['proxy', { ...registration, proxy: 'x'.repeat(101) }],
    ['proxy', { ...registration, proxy: 'two words' }],
    ['password', { username: 'ada', proxy: 'sip.example.com' }],
    ['outboundProxy', { ...registration, outboundProxy: 'x'.repeat(101) }],
    ['authUser', { ...registration, authUser: 'x'.repeat(61) }],
    ['proxy', { ...registration, proxy: 'ada@sip.example.com' }],
    ['outboundProxy', { ...registration, outboundProxy: '<out.example.com>' }],
  ])('reject an invalid %s', async (path, body) => {
    const refused = await account.post(REGISTRATIONS, body);
    expect([refused.status, refused.body.errors!.map((issue) => issue.path)]).toEqual([400, [path]]);
  });

  it('are rejected with the transport TLS when TLS is not configured', async () => {
    const { body } = await account.post<SipRegistration>(REGISTRATIONS, { ...registration, username: 'tls' });
    const path = `${REGISTRATIONS}/${body.registrationId}`;
    for (const change of [
      { proxy: 'sips:sip.example.com' },
      { outboundProxy: 'out.example.com;transport=TLS' },
    ]) {
      const issue = { path: Object.keys(change)[0], message: expect.stringContaining('must not use TLS') };
      const created = await account.post(REGISTRATIONS, { ...registration, username: 'tls2', ...change });
      const changed = await account.send('PATCH', path, change);
      expect([created, changed]).toMatchObject([
        { status: 400, body: { errors: [issue] } },
        { status: 400, body: { errors: [issue] } },
      ]);
    }
  });
});
