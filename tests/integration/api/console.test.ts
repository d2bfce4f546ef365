import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAdminClient, type AdminClient } from '@calls/api-client/admin';
import type { Call } from '@calls/api-contract/rest/call';
import { endedEntry } from '@calls/testkit/ended-entry';
import { eventually } from '../../support/eventually.ts';
import { ADMIN_TOKEN, ControlPlaneHarness } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

const PATH = '/console/session';
const FROM_PAGE = { 'X-Console': '1' };

interface Session {
  account: { accountId: string; name: string };
  key: { prefix: string };
  expires: string;
}

function ask(path: string, init: RequestInit = {}, url = harness.url): Promise<Response> {
  return fetch(`${url}${path}`, init);
}

function signIn(apiKey: unknown, url = harness.url, headers: Record<string, string> = FROM_PAGE) {
  return ask(
    PATH,
    {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ apiKey }),
    },
    url,
  );
}

/** The cookie that the response sets, with its attributes. */
function cookieOf(response: Response): { pair: string; attributes: string[] } {
  const [pair = '', ...attributes] = (response.headers.getSetCookie()[0] ?? '').split('; ');
  return { pair, attributes };
}

async function signedIn(key = account.key, url = harness.url): Promise<Record<string, string>> {
  const response = await signIn(key, url);
  expect(response.status).toBe(200);
  return { ...FROM_PAGE, Cookie: cookieOf(response).pair };
}

const sessionOf = async (headers: Record<string, string>, url = harness.url): Promise<Session | null> =>
  (await (await ask(PATH, { headers }, url)).json()) as Session | null;

interface Accepted {
  session: Session;
  secret: string;
}

describe('an invitation to an account', () => {
  const ACCOUNT = '/admin/api/accounts/{account_id}';

  function administration(): AdminClient {
    return createAdminClient({ baseUrl: harness.adminUrl, token: ADMIN_TOKEN, requestLimitMs: 30_000 });
  }

  async function invited() {
    const admin = administration();
    const { data } = await admin.POST('/admin/api/accounts', { body: { name: 'Seaview Hotels' } });
    const params = { path: { account_id: data!.accountId } };
    const invite = async (body = {}): Promise<string> => {
      const { data: invitation } = await admin.POST(`${ACCOUNT}/invitation`, { params, body });
      expect(invitation!.url).toMatch(new RegExp(`^${harness.url}/invitation#[\\w-]{43}$`, 'u'));
      return new URL(invitation!.url).hash.slice(1);
    };
    return { admin, params, accountId: data!.accountId, invite };
  }

  const accept = (token: unknown, headers: Record<string, string> = FROM_PAGE) =>
    ask('/console/invitation', {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    });

  it('gives one user a key and a session, once', async () => {
    const { admin, accountId, invite } = await invited();
    const token = await invite({ keyName: 'Ada' });
    expect((await accept(token, {})).status).toBe(401);
    const responses = await Promise.all([1, 2, 3].map(() => accept(token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 404, 404]);
    const response = responses.find(({ status }) => status === 201)!;
    const { session, secret } = (await response.json()) as Accepted;
    expect(session.account).toEqual({ accountId, name: 'Seaview Hotels' });
    const headers = { ...FROM_PAGE, Cookie: cookieOf(response).pair };
    expect(await sessionOf(headers)).toEqual(session);
    const keys = (await (await ask('/api/api_keys', { headers: { 'X-API-Key': secret } })).json()) as {
      results: { name: string }[];
    };
    expect(keys.results.map(({ name }) => name)).toEqual(['Ada']);
    const { data: log } = await admin.GET('/admin/api/audit_log', { params: { query: { accountId } } });
    expect(log!.results.map(({ action, administrator }) => [action, administrator])).toEqual([
      ['invitation.accepted', 'invited user'],
      ['invitation.created', 'test'],
      ['account.created', 'test'],
    ]);
    expect(JSON.stringify(log)).not.toContain(token);
  });

  it('ends when it expires, is replaced or withdrawn, or its account is deleted; its token is not stored', async () => {
    const { admin, params, accountId, invite } = await invited();
    const replaced = await invite();
    const expired = await invite();
    const { rows } = await harness.query(
      `update account_invitations set expires_at = now() where account_id = $1
       returning account_invitations::text as row`,
      accountId,
    );
    expect(rows).toEqual([{ row: expect.not.stringContaining(expired) }]);
    expect([(await accept(replaced)).status, (await accept(expired)).status]).toEqual([404, 404]);
    const withdrawn = await invite({ keyName: 'Ada' });
    const withdraw = async (): Promise<number> =>
      (await admin.DELETE(`${ACCOUNT}/invitation`, { params })).response.status;
    expect([await withdraw(), (await accept(withdrawn)).status, await withdraw()]).toEqual([204, 404, 404]);
    const { data: log } = await admin.GET('/admin/api/audit_log', { params: { query: { accountId } } });
    expect(log!.results[0]).toMatchObject({
      action: 'invitation.withdrawn',
      changes: { keyName: { before: 'Ada', after: null } },
    });
    const last = await invite();
    expect((await admin.DELETE(ACCOUNT, { params })).response.status).toBe(204);
    expect((await accept(last)).status).toBe(404);
    for (const token of ['', 5, 'x'.repeat(200)]) expect((await accept(token)).status).toBe(400);
  });
});

describe('a console session', () => {
  it('starts with a key, returns its account, reads the API and ends', async () => {
    const response = await signIn(account.key);
    expect(response.status).toBe(200);
    const session = (await response.json()) as Session;
    expect(session).toMatchObject({ account: { accountId: account.accountId } });
    expect(session.key).toEqual({ prefix: account.key.slice(0, 8), role: 'administrator' });
    const { pair, attributes } = cookieOf(response);
    expect(pair).toMatch(/^calls_console=sealed:v1:/u);
    expect(pair).not.toContain(account.key.slice(9));
    expect(attributes).toEqual(
      expect.arrayContaining(['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=43200']),
    );
    expect(attributes).not.toContain('Secure');

    const headers = { ...FROM_PAGE, Cookie: `theme=dark; ${pair}` };
    expect(await sessionOf(headers)).toEqual(session);
    expect((await ask('/api/accounts/me', { headers })).status).toBe(200);
    const out = await ask(PATH, { method: 'DELETE', headers });
    expect(out.status).toBe(204);
    expect(cookieOf(out).pair).toBe('calls_console=');
  });

  it('is accepted only on requests with the console header', async () => {
    const { Cookie } = await signedIn();
    expect(await sessionOf({ Cookie: Cookie ?? '' })).toBeNull();
    const bare = await ask('/api/calls', { headers: { Cookie: Cookie ?? '' } });
    expect(bare.status).toBe(401);
    expect((await signIn(account.key, harness.url, {})).status).toBe(401);
    const preflight = await ask('/api/calls', {
      method: 'OPTIONS',
      headers: { 'Access-Control-Request-Method': 'POST', Origin: 'https://elsewhere.test' },
    });
    expect(preflight.headers.get('Access-Control-Allow-Headers')?.toLowerCase()).not.toContain('x-console');
    expect(preflight.headers.get('Access-Control-Allow-Credentials')).toBeNull();
  });

  it('allows reads by media elements of the console and rejects requests of other sites', async () => {
    const { Cookie = '' } = await signedIn();
    const from = (site: string, method = 'GET') =>
      ask('/api/calls', { method, headers: { Cookie, 'Sec-Fetch-Site': site } }).then(({ status }) => status);
    expect(await from('same-origin')).toBe(200);
    for (const site of ['same-site', 'cross-site', 'none']) expect(await from(site)).toBe(401);
    expect(await from('same-origin', 'POST')).toBe(401);
  });

  it('has a host-only cookie that is secure behind https', async () => {
    const url = await harness.addReplica({}, { publicUrl: 'https://calls.test' });
    const { pair, attributes } = cookieOf(await signIn(account.key, url));
    expect(pair).toMatch(/^__Host-calls_console=/u);
    expect(attributes).toContain('Secure');
    expect(await sessionOf({ ...FROM_PAGE, Cookie: pair }, url)).not.toBeNull();
  });

  it('ends immediately when its key is revoked', async () => {
    const created = await account.post<{ secret: string; prefix: string }>('/api/api_keys', { name: 'mine' });
    const headers = await signedIn(created.body.secret);
    expect((await ask('/api/calls', { headers })).status).toBe(200);
    await account.send('PATCH', `/api/api_keys/${created.body.prefix}`, { revoked: true });
    expect((await ask('/api/calls', { headers })).status).toBe(401);
    expect(await sessionOf(headers)).toBeNull();
  });

  it('rejects forged cookies and invalid bodies', async () => {
    const { Cookie = '' } = await signedIn();
    const altered = `${Cookie.slice(0, -2)}${Cookie.at(-2) === 'A' ? 'B' : 'A'}${Cookie.slice(-1)}`;
    for (const bad of ['calls_console=', `calls_console=${account.key}`, altered]) {
      expect(await sessionOf({ ...FROM_PAGE, Cookie: bad })).toBeNull();
    }
    for (const bad of [undefined, 3, '', 'x'.repeat(200)]) expect((await signIn(bad)).status).toBe(400);
    expect((await signIn('abcdefgh.0123')).status).toBe(401);
  });

  it('limits the rate of failed logins', async () => {
    // Uses its own address so that the rate limit does not affect other tests.
    const url = await harness.addReplica();
    const guess = (n: number) => signIn(`aaaaaa${n}.${'x'.repeat(32)}`, url).then(({ status }) => status);
    const statuses = await Promise.all(Array.from({ length: 61 }, (_, n) => guess(n + 10)));
    expect(statuses.filter((status) => status === 401)).toHaveLength(60);
    const held = await signIn(`zzzzzzzz.${'x'.repeat(32)}`, url);
    expect(held.status).toBe(429);
    expect(Number(held.headers.get('Retry-After'))).toBeGreaterThan(0);
  });

  it('can create free calls when no free time remains', async () => {
    const poor = await harness.account('FREE');
    await poor.createCall({ maxDuration: '1800s' });
    const body = { medium: { serverWebSocket: { inputSampleRate: 16_000 } }, maxDuration: '60s' };
    expect((await poor.post('/api/calls', body)).status).toBe(402);

    const headers = { ...(await signedIn(poor.key)), 'Content-Type': 'application/json' };
    const begin = async (path: string, order: object): Promise<Call> => {
      const created = await ask(path, { method: 'POST', headers, body: JSON.stringify(order) });
      expect(created.status).toBe(201);
      return (await created.json()) as Call;
    };
    const agent = await poor.post<{ agentId: string }>('/api/agents', { name: 'a', callTemplate: body });
    const calls = [
      await begin('/api/calls', body),
      await begin(`/api/agents/${agent.body.agentId}/calls`, {}),
    ];
    for (const call of calls) {
      const event = harness.eventsOf(call, poor.accountId);
      const joinedAtMs = Date.now() - 90_000;
      await harness.bus.callLogs.append(event(1, endedEntry({ joinedAtMs })));
      await eventually(async () =>
        expect((await poor.call(call.callId)).billingStatus).toBe('BILLING_STATUS_FREE_CONSOLE'),
      );
    }
  });
});

describe('console pages', () => {
  const HTML = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const SCRIPT = 'console.log("calls")'.repeat(100);
  let directory: string;
  let url: string;

  beforeAll(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'calls-console-')), 'dist');
    url = await harness.addReplica({}, { consoleDirectory: directory });
  });
  afterAll(() => rm(join(directory, '..'), { recursive: true, force: true }));

  it('explain how to build them when missing and are served as soon as they are built', async () => {
    const missing = await ask('/', {}, url);
    expect(missing.status).toBe(503);
    expect(await missing.text()).toContain('npm run setup');

    await mkdir(join(directory, 'assets'), { recursive: true });
    await writeFile(join(directory, 'assets/index-abc.js'), SCRIPT);
    await writeFile(join(directory, 'assets/index-abc.js.br'), brotliCompressSync(SCRIPT));
    await writeFile(join(directory, 'assets/index-abc.js.gz'), gzipSync(SCRIPT));
    await writeFile(join(directory, 'index.html'), '<!doctype html><title>Calls</title>');
    const built = await ask('/', {}, url);
    expect([built.status, built.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  it('are served at every console route and at no other address', async () => {
    for (const path of ['/', '/calls', '/calls/0199-x', '/agents/new', '/no-such-page']) {
      const page = await ask(path, { headers: HTML }, url);
      expect([path, page.status, await page.text()]).toEqual([
        path,
        200,
        expect.stringContaining('<title>Calls'),
      ]);
    }
    for (const path of ['/no-such-page', '/assets/gone.js', '/assets/../index.html/..%2f..%2fpackage.json']) {
      expect([path, (await ask(path, {}, url)).status]).toEqual([path, 404]);
    }
    expect((await ask('/assets/gone.js', { headers: HTML }, url)).status).toBe(404);
    expect((await ask('/api/none', { headers: HTML }, url)).status).toBe(401);
    expect((await ask('/docs', { headers: HTML }, url)).status).toBe(200);
    expect((await ask('/healthz', { headers: HTML }, url)).headers.get('Content-Type')).toContain('json');
  });

  it('allow only their own scripts and the connections that calls need', async () => {
    const policy = (await ask('/calls', { headers: HTML }, url)).headers.get('Content-Security-Policy') ?? '';
    const directives = new Map(
      policy.split('; ').map((each) => [each.split(' ', 1)[0], each.split(' ').slice(1)]),
    );
    expect(directives.get('default-src')).toEqual([`'none'`]);
    expect(directives.get('script-src')).toEqual([`'self'`]);
    expect(directives.get('connect-src')).toEqual([`'self'`, 'ws://media.test:1', 'http://media.test:1']);
    expect(directives.get('frame-ancestors')).toEqual([`'none'`]);
  });

  it('are compressed as the browser accepts and cached permanently when their name contains a hash', async () => {
    const script = (encoding: string, headers = {}) =>
      ask('/assets/index-abc.js', { headers: { 'Accept-Encoding': encoding, ...headers } }, url);
    for (const [accepted, sent] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const response = await script(accepted);
      expect(response.headers.get('Content-Encoding')).toBe(sent);
      expect(response.headers.get('Cache-Control')).toContain('immutable');
      expect(await response.text()).toBe(SCRIPT);
    }
    const page = await ask('/', {}, url);
    expect(page.headers.get('Cache-Control')).toBe('no-cache');
    const known = { 'If-None-Match': page.headers.get('ETag') ?? '', 'Cache-Control': 'max-age=0' };
    const again = await ask('/', { headers: known }, url);
    expect(again.status).toBe(304);
  });
});
