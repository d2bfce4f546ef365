import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallCommand } from '@calls/api-contract/bus/call-commands';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { AccountTelephonyConfig } from '@calls/api-contract/rest/telephony-config';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
afterAll(() => harness.stop());

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const { x = '' } = publicKey.export({ format: 'jwk' });
const PUBLIC_KEY = Buffer.from(x, 'base64url').toString('base64');
const TOKEN = 'token-of-thirty-two-characters-x';

const bodies = {
  telephony1: { accountSid: 'AC1', authToken: TOKEN },
  telephony2: { accountSid: 'u1', apiKey: 'KEY0123456789', publicKey: PUBLIC_KEY, applicationSid: 'app' },
  telephony3: { authId: 'MA1', authToken: TOKEN },
};
const shown = {
  telephony1: { accountSid: 'AC1', authTokenPrefix: { prefix: 'token-of' } },
  telephony2: {
    accountSid: 'u1',
    apiKeyPrefix: { prefix: 'KEY' },
    publicKeyPrefix: { prefix: PUBLIC_KEY.slice(0, 8) },
    applicationSid: 'app',
  },
  telephony3: { authId: 'MA1', authTokenPrefix: { prefix: 'token-of' } },
};
const defaults = {
  callCreationAllowedAgentIds: [],
  callCreationAllowAllAgents: false,
  requestContextMapping: {},
};
const providers = ['telephony1', 'telephony2', 'telephony3'] as const;
const pathOf = (provider: string): string => `/api/telephony_configs/${provider}`;
const ALL = '/api/accounts/me/telephony_config';

async function agentOf(account: TestAccount, callTemplate: object = {}): Promise<string> {
  return (await account.post<Agent>('/api/agents', { name: 'Ada', callTemplate })).body.agentId;
}

describe('telephony configurations', () => {
  it.each(providers)('of %s are created once, read, changed and deleted', async (provider) => {
    const account = await harness.account();
    const path = pathOf(provider);
    for (const method of ['GET', 'DELETE']) expect((await account.send(method, path)).status).toBe(404);
    expect((await account.send('PATCH', path, {})).status).toBe(404);
    const created = await account.post(path, bodies[provider]);
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({ ...shown[provider], ...defaults });
    expect((await account.post(path, bodies[provider])).status).toBe(409);
    const change = {
      callCreationAllowAllAgents: true,
      requestContextMapping: { From: 'user.phone' },
      callCreationAllowedAgentIds: [await agentOf(account)],
    };
    const changed = await account.send('PATCH', path, change);
    expect([changed.status, changed.body]).toEqual([200, { ...shown[provider], ...change }]);
    expect((await account.request(path)).body).toEqual(changed.body);
    expect((await account.send('PATCH', path, {})).body).toEqual(changed.body);
    expect((await account.send('DELETE', path)).status).toBe(204);
    expect((await account.request(path)).status).toBe(404);
  });

  it('stop allowing an agent that is deleted', async () => {
    const account = await harness.account();
    const [deleted, left] = [await agentOf(account), await agentOf(account)];
    for (const provider of providers) {
      const body = { ...bodies[provider], callCreationAllowedAgentIds: [deleted, left] };
      expect((await account.post(pathOf(provider), body)).status).toBe(201);
    }
    expect((await account.send('DELETE', `/api/agents/${deleted}`)).status).toBe(204);
    const { body: configs } = await account.request<AccountTelephonyConfig>(ALL);
    const allowed = Object.values(configs).map((config) => config.callCreationAllowedAgentIds);
    expect(allowed).toEqual([[left], [left], [left]]);
  });

  it.each(providers)('of %s require all fields', async (provider) => {
    const account = await harness.account();
    for (const field of Object.keys(bodies[provider])) {
      const body = Object.fromEntries(Object.entries(bodies[provider]).filter(([name]) => name !== field));
      const { status, body: error } = await account.post(pathOf(provider), body);
      expect([field, status, error.errors]).toEqual([field, 400, [{ path: field, message: 'is required' }]]);
    }
  });

  it('store their secrets encrypted and can change one of them', async () => {
    const account = await harness.account();
    for (const provider of providers) await account.post(pathOf(provider), bodies[provider]);
    const { body } = await account.send('PATCH', pathOf('telephony2'), { apiKey: 'OTHERKEY0123' });
    expect(body).toMatchObject({
      apiKeyPrefix: { prefix: 'OTH' },
      publicKeyPrefix: { prefix: PUBLIC_KEY.slice(0, 8) },
    });
    const { rows } = await harness.query('select telephony_configs::text as row from telephony_configs');
    expect(rows.length).toBeGreaterThanOrEqual(3);
    for (const secret of [TOKEN, 'KEY0123456789', 'OTHERKEY0123', PUBLIC_KEY]) {
      expect(rows.some((row) => String(row['row']).includes(secret))).toBe(false);
    }
  });

  it('accept at most a hundred agents of the account', async () => {
    const account = await harness.account();
    const foreign = await agentOf(await harness.account());
    const own = await agentOf(account);
    const ids = [own, foreign];
    const refused = await account.post(pathOf('telephony1'), {
      ...bodies.telephony1,
      callCreationAllowedAgentIds: ids,
    });
    expect(refused.body.errors).toEqual([
      { path: 'callCreationAllowedAgentIds.1', message: 'must be the id of an agent' },
    ]);
    const many = Array.from({ length: 101 }, () => own);
    const tooMany = { ...bodies.telephony1, callCreationAllowedAgentIds: many };
    expect((await account.post(pathOf('telephony1'), tooMany)).status).toBe(400);
    const upper = { ...bodies.telephony1, callCreationAllowedAgentIds: [own.toUpperCase(), own] };
    const created = await account.post<NonNullable<AccountTelephonyConfig['telephony1']>>(
      pathOf('telephony1'),
      upper,
    );
    expect(created.body.callCreationAllowedAgentIds).toEqual([own]);
  });

  it.each([
    ['telephony2', { ...bodies.telephony2, publicKey: 'c2hvcnQ=' }, 'publicKey'],
    ['telephony2', { ...bodies.telephony2, publicKey: '?'.repeat(44) }, 'publicKey'],
    ['telephony2', { ...bodies.telephony2, applicationSid: 'x'.repeat(41) }, 'applicationSid'],
    ['telephony1', { ...bodies.telephony1, authToken: '' }, 'authToken'],
    ['telephony1', { ...bodies.telephony1, authToken: 'two words' }, 'authToken'],
    [
      'telephony1',
      { ...bodies.telephony1, requestContextMapping: { From: '' } },
      'requestContextMapping.From',
    ],
    [
      'telephony1',
      { ...bodies.telephony1, requestContextMapping: { From: 1 } },
      'requestContextMapping.From',
    ],
    ['telephony3', { ...bodies.telephony3, accountSid: 'AC1' }, 'accountSid'],
  ])('of %s reject invalid values (%#)', async (provider, body, path) => {
    const { status, body: error } = await (await harness.account()).post(pathOf(provider), body);
    expect([status, error.errors![0]!.path]).toEqual([400, path]);
  });

  it('are not accessible to other accounts', async () => {
    const [account, other] = [await harness.account(), await harness.account()];
    await other.post(pathOf('telephony1'), bodies.telephony1);
    for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
      expect((await account.send(method, pathOf('telephony1'), body)).status).toBe(404);
    }
    expect((await account.request(ALL)).body).toEqual({});
  });
});

describe('the configurations of all providers', () => {
  it('can be read, created, changed and deleted together', async () => {
    const account = await harness.account();
    expect((await account.request(ALL)).body).toEqual({});
    const { telephony1, telephony3 } = bodies;
    const created = await account.send<AccountTelephonyConfig>('PATCH', ALL, { telephony1, telephony3 });
    expect(created.status).toBe(200);
    expect(created.body).toEqual({
      telephony1: { ...shown.telephony1, ...defaults },
      telephony3: { ...shown.telephony3, ...defaults },
    });
    const changed = await account.send<AccountTelephonyConfig>('PATCH', ALL, {
      telephony1: { accountSid: 'AC2', authTokenPrefix: { prefix: 'ignored' } },
      telephony2: null,
      telephony3: null,
    });
    expect(changed.body).toEqual({ telephony1: { ...shown.telephony1, ...defaults, accountSid: 'AC2' } });
    expect((await account.request(ALL)).body).toEqual(changed.body);
  });

  it('are changed atomically', async () => {
    const account = await harness.account();
    await account.post(pathOf('telephony3'), bodies.telephony3);
    const refused = await account.send('PATCH', ALL, {
      telephony1: bodies.telephony1,
      telephony2: { apiKey: 'KEY' },
      telephony3: null,
    });
    expect([refused.status, refused.body.errors!.map(({ path }) => path)]).toEqual([
      400,
      ['telephony2.accountSid', 'telephony2.applicationSid', 'telephony2.publicKey'],
    ]);
    expect(Object.keys((await account.request(ALL)).body)).toEqual(['telephony3']);
    const foreign = await agentOf(await harness.account());
    const unknown = { telephony3: { callCreationAllowedAgentIds: [foreign] } };
    expect((await account.send('PATCH', ALL, unknown)).body.errors).toEqual([
      { path: 'telephony3.callCreationAllowedAgentIds.0', message: 'must be the id of an agent' },
    ]);
  });
});

describe("a telephony provider's webhook", () => {
  let account: TestAccount;
  let agentId: string;
  let allowed: string;

  beforeAll(async () => {
    account = await harness.account();
    agentId = await agentOf(account);
    allowed = await agentOf(account, { systemPrompt: 'You speak with {{user.phone}}.' });
    for (const provider of providers) {
      await account.post(pathOf(provider), {
        ...bodies[provider],
        callCreationAllowedAgentIds: [allowed],
        requestContextMapping: { From: 'user.phone' },
      });
    }
  });

  const form = { CallSid: 'CA1', CallUUID: 'CA1', From: '+15550001', To: '+15550002' };
  async function send(
    agent: string,
    headers: Record<string, string>,
    body: string = new URLSearchParams(form).toString(),
    type = 'application/x-www-form-urlencoded',
  ): Promise<[status: number, code: string]> {
    const response = await post(agent, headers, body, type);
    const text = await response.text();
    const isXml = response.headers.get('content-type')?.startsWith('text/xml') ?? false;
    return [response.status, isXml ? 'xml' : (JSON.parse(text) as { code: string }).code];
  }
  const post = (
    agent: string,
    headers: Record<string, string>,
    body: string = new URLSearchParams(form).toString(),
    type = 'application/x-www-form-urlencoded',
  ): Promise<Response> =>
    fetch(urlOf(agent), { method: 'POST', headers: { 'Content-Type': type, ...headers }, body });
  const urlOf = (agent: string): string => `${harness.url}/api/agents/${agent}/telephony_xml`;
  type Fields = Readonly<Record<string, string>>;
  const inOrder = (fields: Fields): string => Object.entries(fields).sort().flat().join('');
  const signed = {
    telephony1: (agent: string, fields: Fields = form) => ({
      'X-Twilio-Signature': createHmac('sha1', TOKEN)
        .update(`${urlOf(agent)}${inOrder(fields)}`)
        .digest('base64'),
    }),
    telephony2: (_agent?: string, fields: Fields = form) => {
      const time = String(Math.floor(Date.now() / 1000));
      const text = Buffer.from(`${time}|${new URLSearchParams(fields).toString()}`);
      return {
        'telnyx-timestamp': time,
        'telnyx-signature-ed25519': sign(null, text, privateKey).toString('base64'),
      };
    },
    telephony3: (agent: string, fields: Fields = form) => ({
      'X-Plivo-Signature-V3-Nonce': '42',
      'X-Plivo-Signature-V3': createHmac('sha256', TOKEN)
        .update(`${urlOf(agent)}?${inOrder(fields)}.42`)
        .digest('base64'),
    }),
  };

  const streams = {
    telephony1: (url: string) => `<Connect><Stream url="${url}"/></Connect>`,
    telephony2: (url: string) =>
      `<Connect><Stream url="${url}" codec="PCMU" bidirectionalMode="rtp" bidirectionalCodec="PCMU"/></Connect>`,
    telephony3: (url: string) =>
      `<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-l16;rate=16000">${url}</Stream>`,
  };

  it.each(providers)(
    'of %s creates a call and returns XML that streams the phone call to it',
    async (provider) => {
      const response = await post(allowed, signed[provider](allowed));
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
      const calls = await account.list<Call>(`/api/agents/${allowed}/calls`);
      const { callId, joinUrl, ...call } = calls.results[0]!;
      expect(call).toMatchObject({
        medium: { [provider]: {} },
        requestContext: { [provider]: form },
        systemPrompt: 'You speak with +15550001.',
      });
      const token = joinUrl!.split('/').at(-1)!;
      expect(joinUrl).toBe(`ws://media.test:1/join/${callId}/${token}`);
      const redirect = `<Redirect method="POST">${harness.url}/telephony/${callId}/answer?token=${token}</Redirect>`;
      expect(await response.text()).toBe(
        `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${streams[provider](joinUrl!)}${redirect}</Response>\n`,
      );
      expect(await send(allowed.toUpperCase(), signed[provider](allowed.toUpperCase()))).toEqual([
        200,
        'xml',
      ]);
    },
  );

  it.each(providers)(
    'of %s that is repeated gets the same call until that is joined or has ended',
    async (provider) => {
      const agent = await agentOf(account);
      await account.send('PATCH', pathOf(provider), { callCreationAllowedAgentIds: [agent] });
      const callsOf = async (): Promise<string[]> =>
        (await account.list<Call>(`/api/agents/${agent}/calls`)).results.map(({ callId }) => callId);
      const request = async (): Promise<string> => (await post(agent, signed[provider](agent))).text();
      const answers = [...(await Promise.all([request(), request()])), await request()];
      const [callId = ''] = await callsOf();
      for (const xml of answers) expect(xml).toContain(`/join/${callId}/`);
      expect(await callsOf()).toEqual([callId]);

      // The same phone call comes back, for example from a menu.
      const ended = "joined_at = null, ended_at = now(), end_reason = 'unjoined'";
      for (const state of ['joined_at = now()', ended]) {
        await harness.query(`update calls set ${state} where call_id = $1`, callId);
        const [next, again] = [await request(), await request()];
        expect(next).not.toContain(callId);
        expect(again).toBe(next);
        expect(await callsOf()).toHaveLength(2);
      }
      await account.send('PATCH', pathOf(provider), { callCreationAllowedAgentIds: [allowed] });
    },
  );

  it.each(providers)(
    'of %s that reports the status of a phone call creates no call, and ends the call of a phone call that is over',
    async (provider) => {
      const agent = await agentOf(account);
      await account.send('PATCH', pathOf(provider), { callCreationAllowedAgentIds: [agent] });
      const report = async (about: Fields): Promise<string> => {
        const fields = { ...form, ...about };
        const body = new URLSearchParams(fields).toString();
        const response = await post(agent, signed[provider](agent, fields), body);
        return `${response.status} ${await response.text()}`;
      };
      const over = { CallStatus: 'completed' };
      const nothing = expect.stringMatching(/^200 .*<Response><Hangup\/><\/Response>/su);
      expect(await report(over)).toEqual(nothing);
      await post(agent, signed[provider](agent));
      const callsOf = async (): Promise<Call[]> =>
        (await account.list<Call>(`/api/agents/${agent}/calls`)).results;
      const [{ callId } = { callId: '' }] = await callsOf();
      const commands: CallCommand[] = [];
      using _worker = harness.bus.commands.serve(callId, (command) => {
        commands.push(command);
        return { outcome: 'accepted' };
      });
      await harness.query('update calls set joined_at = now() where call_id = $1', callId);
      const progress = { CallStatus: 'in-progress', CallbackSource: 'call-progress-events' };
      const cost = { CallbackSource: 'call-cost-events' };
      for (const about of [progress, cost, over]) expect(await report(about)).toEqual(nothing);
      const detail = 'The phone call ended before the conversation started.';
      expect(commands).toEqual([{ kind: 'not_reached', detail }]);
      await harness.query(
        "update calls set ended_at = now(), end_reason = 'hangup' where call_id = $1",
        callId,
      );
      expect(await report(over)).toEqual(nothing);
      expect(commands).toHaveLength(1);
      expect(await callsOf()).toHaveLength(1);

      // A phone call that comes back has another call.
      await post(agent, signed[provider](agent));
      const [{ callId: later } = { callId: '' }] = await callsOf();
      using _other = harness.bus.commands.serve(later, (command) => {
        commands.push(command);
        return { outcome: 'accepted' };
      });
      await harness.bus.connection.ping();
      expect(await report(over)).toEqual(nothing);
      expect(commands).toHaveLength(2);
      await account.send('PATCH', pathOf(provider), { callCreationAllowedAgentIds: [allowed] });
    },
  );

  it.each(providers)('of %s accepts only allowed agents unless all are allowed', async (provider) => {
    expect(await send(agentId, signed[provider](agentId))).toEqual([403, 'agent_not_allowed']);
    await account.send('PATCH', pathOf(provider), { callCreationAllowAllAgents: true });
    expect(await send(agentId, signed[provider](agentId))).toEqual([200, 'xml']);
  });

  it('requires a valid signature and responds with 401 otherwise', async () => {
    const unknown = '0192e7a0-0000-7000-8000-000000000000';
    const unauthorized = [401, 'unauthorized'];
    expect(await send(allowed, {})).toEqual(unauthorized);
    expect(await send(allowed, { 'X-API-Key': account.key })).toEqual(unauthorized);
    expect(await send(allowed, { 'X-Twilio-Signature': 'bm8=' })).toEqual(unauthorized);
    expect(await send(allowed, signed.telephony1(agentId))).toEqual(unauthorized);
    expect(await send(unknown, signed.telephony1(unknown))).toEqual(unauthorized);
    const other = await harness.account();
    const foreign = await agentOf(other);
    expect(await send(foreign, signed.telephony1(foreign))).toEqual(unauthorized);
    const changed = new URLSearchParams({ ...form, From: '+15559999' }).toString();
    for (const provider of providers) {
      expect(await send(allowed, signed[provider](allowed), changed)).toEqual(unauthorized);
    }
    expect(await send('unknown', signed.telephony1('unknown'))).toEqual([404, 'not_found']);
  });

  it('accepts forms and JSON up to 64 KiB', async () => {
    expect(await send(allowed, {}, 'hello', 'text/plain')).toEqual([415, 'unsupported_media_type']);
    expect(await send(allowed, {}, 'a'.repeat(65_537))).toEqual([413, 'too_large']);
    const json = JSON.stringify({ From: '+1' });
    const time = String(Math.floor(Date.now() / 1000));
    const signature = sign(null, Buffer.from(`${time}|${json}`), privateKey).toString('base64');
    const headers = { 'telnyx-timestamp': time, 'telnyx-signature-ed25519': signature };
    expect(await send(allowed, headers, json, 'application/json')).toEqual([200, 'xml']);
    const got = await fetch(urlOf(allowed));
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});
