import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallCommand } from '@calls/api-contract/bus/call-commands';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import { DIAL_REQUEST, type DialReplyMessage } from '@calls/api-contract/bus/live-calls';
import type { Call } from '@calls/api-contract/rest/call';
import { createEventSeal } from '@calls/bus/call-seal';
import { newId } from '@calls/foundation/ids';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { endedEntry } from '@calls/testkit/ended-entry';
import {
  ControlPlaneHarness,
  JOIN_TOKEN_SECRETS,
  type TestAccount,
} from '../support/control-plane-harness.ts';
import { eventually } from '../support/eventually.ts';
import { TelephonyRestApi } from '../support/telephony-rest-api.ts';

const TOKEN = 'token-of-thirty-two-characters-x';
const { publicKey } = generateKeyPairSync('ed25519');
const PUBLIC_KEY = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
const configs = {
  telephony1: { accountSid: 'AC1', authToken: TOKEN },
  telephony2: { accountSid: 'u1', apiKey: TOKEN, publicKey: PUBLIC_KEY, applicationSid: 'app' },
  telephony3: { authId: 'MA1', authToken: TOKEN },
};
type Provider = keyof typeof configs;
const providers = Object.keys(configs) as Provider[];
const outgoing = { to: '+15550001', from: '+15550002' };

const api = await TelephonyRestApi.start();
const env = {
  TELEPHONY1_BASE_URL: api.url,
  TELEPHONY2_BASE_URL: `${api.url}/`,
  TELEPHONY3_BASE_URL: api.url,
};
const harness = await ControlPlaneHarness.start({ env });
const account = await accountWithConfigs();
// Dial requests are distributed among all control-planes.
await harness.addReplica();
afterAll(async () => {
  await harness.stop();
  await api[Symbol.asyncDispose]();
});
beforeEach(() => {
  api.requests.length = 0;
  api.answers.length = 0;
});

async function accountWithConfigs(): Promise<TestAccount> {
  const made = await harness.account('SCALE', null, ['retentionPolicy', 'admissionPreference']);
  for (const provider of providers)
    expect((await made.post(`/api/telephony_configs/${provider}`, configs[provider])).status).toBe(201);
  return made;
}

function dialling(provider: Provider, extra: Record<string, unknown> = {}, of = account): Promise<Call> {
  return of.createCall({ medium: { [provider]: { outgoing } }, ...extra });
}

function dial(call: { callId: string }): Promise<DialReplyMessage> {
  return harness.bus.requests.send(DIAL_REQUEST, { callId: call.callId }, new AbortController().signal);
}

const tokenOf = (call: Call): string => call.joinUrl!.split('/').at(-1)!;
const urlOf = (call: Call, what: 'answer' | 'status', token = tokenOf(call)): string =>
  `${harness.url}/telephony/${call.callId}/${what}?token=${token}`;
/** Publishes log entries like the worker that runs the call. */
async function tell(call: Call, ...bodies: CallLogEntryBody[]): Promise<void> {
  const event = harness.eventsOf(call, account.accountId);
  let position = 0;
  for (const [i, body] of bodies.entries())
    position = await harness.bus.callLogs.append(event(i + 1, body), position);
}
const joined: CallLogEntryBody = { type: 'joined', clientVersion: null, workerId: 'w' };
const ended = (extra: { transferTo?: string } = {}): CallLogEntryBody =>
  endedEntry({ endReason: 'agent_hangup', joinedAtMs: Date.now(), ...extra });

describe('an outgoing phone call', () => {
  it('is requested from telephony1', async () => {
    api.answers.push({ status: 201, body: { sid: 'CA1', status: 'queued' } });
    const additionalParams = { MachineDetection: 'Enable', Url: 'https://elsewhere.test', to: '+1666' };
    const call = await dialling('telephony1', {
      medium: { telephony1: { outgoing: { ...outgoing, additionalParams } } },
    });
    expect(await dial(call)).toEqual({ outcome: 'dialled' });
    expect(api.requests).toHaveLength(1);
    const [{ method, path, headers, body }] = api.requests as [(typeof api.requests)[0]];
    expect([method, path]).toEqual(['POST', '/2010-04-01/Accounts/AC1/Calls.json']);
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`AC1:${TOKEN}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    });
    const { Timeout, ...form } = Object.fromEntries(new URLSearchParams(body));
    expect(form).toEqual({
      To: '+15550001',
      From: '+15550002',
      Url: urlOf(call, 'answer'),
      Method: 'POST',
      StatusCallback: urlOf(call, 'status'),
      StatusCallbackMethod: 'POST',
      MachineDetection: 'Enable',
    });
    expect(Number(Timeout)).toBeGreaterThan(20);
    expect(Number(Timeout)).toBeLessThan(30);
  });

  it('is dialled once when the client repeats its request', async () => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': newId() };
    const body = JSON.stringify({ medium: { telephony1: { outgoing } }, admissionPreference: 'priority' });
    const request = () => account.request<Call>('/api/calls', { method: 'POST', headers, body });
    const calls = [...(await Promise.all([request(), request()])), await request()].map(
      (response) => response.body,
    );
    // Does what media-workers do for each call that they take.
    for (;;) {
      const taken = await harness.bus.createdCalls.take('priority', 0, new AbortController().signal);
      if (!taken) break;
      taken.ack();
      await dial(taken.call.spec);
    }
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(1);
    expect(api.requests).toHaveLength(1);
  });

  it('is requested from telephony2', async () => {
    const call = await dialling('telephony2');
    expect(await dial(call)).toEqual({ outcome: 'dialled' });
    const [{ method, path, headers, body }] = api.requests as [(typeof api.requests)[0]];
    expect([method, path]).toEqual(['POST', '/v2/texml/Accounts/u1/Calls']);
    expect(headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' });
    expect(JSON.parse(body)).toEqual({
      ApplicationSid: 'app',
      To: '+15550001',
      From: '+15550002',
      Url: urlOf(call, 'answer'),
      UrlMethod: 'POST',
      StatusCallback: urlOf(call, 'status'),
      StatusCallbackMethod: 'POST',
      StatusCallbackEvent: 'completed',
      Timeout: expect.any(Number),
    });
  });

  it('is requested from telephony3', async () => {
    const call = await dialling('telephony3', { joinTimeout: '90.9s' });
    expect(await dial(call)).toEqual({ outcome: 'dialled' });
    const [{ method, path, headers, body }] = api.requests as [(typeof api.requests)[0]];
    expect([method, path]).toEqual(['POST', '/v1/Account/MA1/Call/']);
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`MA1:${TOKEN}`).toString('base64')}`,
      'content-type': 'application/json',
    });
    const { ring_timeout: ringTimeout, ...parameters } = JSON.parse(body) as Record<string, unknown>;
    expect(parameters).toEqual({
      to: '+15550001',
      from: '+15550002',
      answer_url: urlOf(call, 'answer'),
      answer_method: 'POST',
      hangup_url: urlOf(call, 'status'),
      hangup_method: 'POST',
    });
    expect(ringTimeout).toBeGreaterThan(80);
    expect(ringTimeout).toBeLessThanOrEqual(90);
  });

  it('is requested once when dial requests are repeated', async () => {
    const call = await dialling('telephony1');
    const answers = await Promise.all(Array.from({ length: 12 }, () => dial(call)));
    expect(answers).toEqual(Array(12).fill({ outcome: 'dialled' }));
    expect(await dial(call)).toEqual({ outcome: 'dialled' });
    expect(api.requests).toHaveLength(1);
    const { rows } = await harness.query('select dialled_at from calls where call_id = $1', call.callId);
    expect(rows[0]!['dialled_at']).toBeInstanceOf(Date);
  });

  it.each([
    [
      'telephony1',
      { status: 400, body: { code: 21211, message: `no number\n(${TOKEN})` } },
      'the response status was 400: no number (…)',
    ],
    [
      'telephony2',
      { status: 422, body: { errors: [{ code: '10015', title: 'Bad', detail: 'The number is bad.' }] } },
      'the response status was 422: The number is bad.',
    ],
    [
      'telephony2',
      { status: 403, body: { errors: [{ title: 'Forbidden' }] } },
      'the response status was 403: Forbidden',
    ],
    [
      'telephony3',
      { status: 401, body: { error: 'authentication failed' } },
      'the response status was 401: authentication failed',
    ],
    ['telephony3', { status: 500, body: '<html>' }, 'the response status was 500.'],
    [
      'telephony1',
      { status: 400, body: { message: 'x'.repeat(2000) } },
      `the response status was 400: ${'x'.repeat(500)}`,
    ],
  ] as const)('is refused with the error message of %s (%#)', async (provider, answer, reason) => {
    api.answers.push(answer);
    expect(await dial(await dialling(provider))).toEqual({
      outcome: 'refused',
      detail: `${provider} did not dial: ${reason}`,
    });
    expect(api.requests).toHaveLength(1);
  });

  it('is treated as dialled when the result is unknown', async () => {
    api.answers.push('breaks');
    expect(await dial(await dialling('telephony1'))).toEqual({ outcome: 'dialled' });
    expect(api.requests).toHaveLength(1);
  });

  it('is retried after 429', async () => {
    api.answers.push({ status: 429 }, { status: 201 });
    expect(await dial(await dialling('telephony1'))).toEqual({ outcome: 'dialled' });
    expect(api.requests).toHaveLength(2);
  });

  it('is rejected without a configuration or phone number and when ended or unknown', async () => {
    const other = await accountWithConfigs();
    const configured = await dialling('telephony2', {}, other);
    await other.send('DELETE', '/api/telephony_configs/telephony2');
    expect(await dial(configured)).toMatchObject({
      detail: expect.stringContaining('has no configuration for telephony2'),
    });
    const incoming = await account.createCall({ medium: { telephony1: {} } });
    expect(await dial(incoming)).toEqual({
      outcome: 'refused',
      detail: 'The call has no phone number to dial.',
    });
    const late = await dialling('telephony1');
    await harness.query(
      "update calls set created_at = now() - interval '29.5 s' where call_id = $1",
      late.callId,
    );
    expect(await dial(late)).toMatchObject({
      detail: expect.stringContaining('joinTimeout left no time'),
    });
    const over = await dialling('telephony1');
    await tell(over, { ...ended(), joinedAtMs: null } as CallLogEntryBody);
    await eventually(async () => expect((await account.call(over.callId)).ended).not.toBeNull());
    expect(await dial(over)).toEqual({ outcome: 'refused', detail: 'The call has ended.' });
    expect(await dial({ callId: newId() })).toEqual({ outcome: 'refused', detail: 'The call has ended.' });
    expect(api.requests).toEqual([]);
  });
});

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const HANG_UP = `${XML}<Response><Hangup/></Response>\n`;
describe('a phone that rings', () => {
  const DIAL = 1;
  const hangUps = (): string[] => api.requests.slice(DIAL).map(({ method, path }) => `${method} ${path}`);
  const hangUpByMessage = (call: Call) =>
    account.post(`/api/calls/${call.callId}/send_data_message`, { type: 'hang_up' });
  const end = (call: Call): Promise<void> => tell(call, { ...ended(), joinedAtMs: null } as CallLogEntryBody);
  /** A worker that ends the call on request. */
  async function serve(call: Call, onCommand = end): Promise<Disposable> {
    const served = harness.bus.commands.serve(call.callId, async () => {
      await onCommand(call);
      return { outcome: 'accepted' };
    });
    await harness.bus.connection.ping();
    return served;
  }

  it.each([
    ['telephony1', { sid: 'CA1' }, 'POST /2010-04-01/Accounts/AC1/Calls/CA1.json'],
    ['telephony2', { sid: 'CA2' }, 'POST /v2/texml/Accounts/u1/Calls/CA2'],
    ['telephony3', { request_uuid: 'CA3' }, 'DELETE /v1/Account/MA1/Request/CA3/'],
  ] as const)('is hung up at %s when its call ends before the answer', async (provider, body, request) => {
    api.answers.push({ status: 201, body });
    const call = await dialling(provider);
    await dial(call);
    await end(call);
    await eventually(() => expect(hangUps()).toEqual([request]));
  });

  it.each([
    ['is deleted', (call: Call) => account.send('DELETE', `/api/calls/${call.callId}`)],
    ['ends by a message', hangUpByMessage],
  ] as const)('is hung up once when its call %s', async (_, request) => {
    api.answers.push({ status: 201, body: { sid: 'CA1' } });
    const call = await dialling('telephony1');
    await dial(call);
    using _worker = await serve(call);
    expect((await request(call)).status).toBe(204);
    await eventually(() => expect(hangUps()).toEqual(['POST /2010-04-01/Accounts/AC1/Calls/CA1.json']));
  });

  it('is hung up when its call is deleted before the provider has responded', async () => {
    const accepted = Promise.withResolvers<{ status: number; body: unknown }>();
    api.answers.push(accepted.promise);
    const call = await dialling('telephony1');
    const dialled = dial(call);
    await eventually(() => expect(api.requests).toHaveLength(DIAL));
    using _worker = await serve(call);
    expect((await account.send('DELETE', `/api/calls/${call.callId}`)).status).toBe(204);
    expect(hangUps()).toEqual([]);
    accepted.resolve({ status: 201, body: { sid: 'CA1' } });
    await dialled;
    expect(hangUps()).toEqual(['POST /2010-04-01/Accounts/AC1/Calls/CA1.json']);
  });

  it('is not hung up after the provider has reported its end, or after the join', async () => {
    for (const isJoined of [false, true]) {
      api.requests.length = 0;
      api.answers.push({ status: 201, body: { sid: 'CA1' } });
      const call = await dialling('telephony1');
      await dial(call);
      using _worker = await serve(call, () => Promise.resolve());
      if (isJoined) await tell(call, joined, ended());
      else {
        const body = new URLSearchParams({ CallStatus: 'busy' });
        expect((await ask(urlOf(call, 'status'), { method: 'POST', body }))[0]).toBe(204);
        await end(call);
      }
      await eventually(async () => expect((await account.call(call.callId)).ended).not.toBeNull());
      expect(hangUps()).toEqual([]);
    }
  });
});

const redirect = (call: Call): string => `<Redirect method="POST">${urlOf(call, 'answer')}</Redirect>`;
const streamed = (call: Call): string =>
  `${XML}<Response><Connect><Stream url="${call.joinUrl!}"/></Connect>${redirect(call)}</Response>\n`;

async function ask(url: string, init: RequestInit = { method: 'POST' }): Promise<[number, string]> {
  const response = await fetch(url, init);
  return [response.status, await response.text()];
}

describe('the telephony answer URL', () => {
  it('streams the phone call to a live call and requests again afterwards', async () => {
    const call = await dialling('telephony1');
    expect(call.joinUrl).toMatch(/^ws:\/\/media\.test:1\/join\/[\da-f-]{36}\/[\w.-]+$/u);
    const response = await fetch(urlOf(call, 'answer'), { method: 'POST' });
    expect(response.headers.get('content-type')).toMatch(/^text\/xml/u);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toBe(streamed(call));
    expect(await ask(urlOf(call, 'answer'), { method: 'GET' })).toEqual([200, streamed(call)]);
    // The worker of the call dies, and another one takes over.
    await tell(call, joined);
    await eventually(async () => expect((await account.call(call.callId)).joined).not.toBeNull());
    expect(await ask(urlOf(call, 'answer'))).toEqual([200, streamed(call)]);
  });

  it('waits for a pending end of the call', async () => {
    const call = await dialling('telephony2');
    await tell(call, joined);
    await eventually(async () => expect((await account.call(call.callId)).joined).not.toBeNull());
    const asked = ask(urlOf(call, 'answer'));
    await harness.bus.callLogs.append(harness.eventsOf(call, account.accountId)(2, ended()));
    expect(await asked).toEqual([200, HANG_UP]);
  });

  it.each([
    ['telephony1', '<Sip>sip:a@b.test</Sip>'],
    ['telephony2', '<Sip>sip:a@b.test</Sip>'],
    ['telephony3', '<User>sip:a@b.test</User>'],
  ] as const)('of %s dials the transfer target of an ended call', async (provider, sip) => {
    const [call, toSip, incoming] = [
      await dialling(provider),
      await dialling(provider),
      await account.createCall({ medium: { [provider]: {} } }),
    ];
    await tell(call, joined, ended({ transferTo: '+15559' }));
    await tell(toSip, joined, ended({ transferTo: 'sip:a@b.test' }));
    await tell(incoming, joined, ended({ transferTo: '+15559' }));
    const dialled = (inside: string, from = ' callerId="+15550002"'): [number, string] => [
      200,
      `${XML}<Response><Dial${from}>${inside}</Dial></Response>\n`,
    ];
    const number = '<Number>+15559</Number>';
    const check = async (): Promise<void> => {
      expect(await ask(urlOf(call, 'answer'))).toEqual(dialled(number));
      expect(await ask(urlOf(toSip, 'answer'))).toEqual(dialled(sip));
      expect(await ask(urlOf(incoming, 'answer'))).toEqual(dialled(number, ''));
    };
    await check();
    await eventually(async () => expect((await account.call(incoming.callId)).ended).not.toBeNull());
    await eventually(async () => {
      const { rows } = await harness.query('select transfer_to from calls where call_id = $1', call.callId);
      expect(rows).toEqual([{ transfer_to: '+15559' }]);
    });
    await check();
  });

  it('stores no transfer target for zero-retention calls', async () => {
    const call = await dialling('telephony1', { retentionPolicy: 'zdr' });
    const seal = createEventSeal(JOIN_TOKEN_SECRETS);
    const { body } = seal.seal({ callId: call.callId, body: ended({ transferTo: '+15559' }) });
    await tell(call, joined, body);
    await eventually(async () => expect((await account.call(call.callId)).ended).not.toBeNull());
    const { rows } = await harness.query('select * from calls where call_id = $1', call.callId);
    expect(rows[0]!['transfer_to']).toBeNull();
    expect((await ask(urlOf(call, 'answer')))[1]).toContain('<Number>+15559</Number>');
  });

  it('hangs up ended and deleted calls', async () => {
    const call = await dialling('telephony3');
    await tell(call, joined, ended());
    expect(await ask(urlOf(call, 'answer'))).toEqual([200, HANG_UP]);
    await eventually(async () => expect((await account.call(call.callId)).ended).not.toBeNull());
    expect(await ask(urlOf(call, 'answer'))).toEqual([200, HANG_UP]);
    expect((await account.send('DELETE', `/api/calls/${call.callId}`)).status).toBe(204);
    expect(await ask(urlOf(call, 'answer'))).toEqual([200, HANG_UP]);
    expect((await ask(urlOf(call, 'status')))[0]).toBe(204);
  });
});

describe('the telephony status URL', () => {
  const form = (fields: Record<string, string>): RequestInit => ({
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  const json = (fields: unknown): RequestInit => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof fields === 'string' ? fields : JSON.stringify(fields),
  });

  async function reportedBy(
    provider: Provider,
    ...requests: readonly RequestInit[]
  ): Promise<{ statuses: number[]; commands: CallCommand[] }> {
    const call = await dialling(provider);
    await dial(call);
    const commands: CallCommand[] = [];
    using _served = harness.bus.commands.serve(call.callId, (command) => {
      commands.push(command);
      return { outcome: 'accepted' };
    });
    await harness.bus.connection.ping();
    const statuses: number[] = [];
    for (const init of requests) statuses.push((await ask(urlOf(call, 'status'), init))[0]);
    return { statuses, commands };
  }

  it.each([
    ['telephony1', form({ CallStatus: 'busy', CallSid: 'CA1' }), 'The phone was busy.'],
    ['telephony1', form({ CallStatus: 'no-answer' }), 'The phone was not answered.'],
    [
      'telephony2',
      form({ CallStatus: 'completed' }),
      'The phone call ended before the conversation started.',
    ],
    ['telephony2', json({ CallStatus: 'failed' }), 'The phone could not be reached.'],
    [
      'telephony3',
      form({ CallStatus: 'timeout', HangupCauseName: 'Ring Timeout Reached' }),
      'The phone was not answered (Ring Timeout Reached).',
    ],
  ] as const)(
    'notifies the worker that the phone was not reached (%s, %#)',
    async (provider, request, detail) => {
      expect(await reportedBy(provider, request)).toEqual({
        statuses: [204],
        commands: [{ kind: 'not_reached', detail }],
      });
    },
  );

  it('accepts a report even if the worker ends the call instead of replying', async () => {
    const call = await dialling('telephony1');
    await dial(call);
    using _served = harness.bus.commands.serve(call.callId, async () => {
      await tell(call, ended());
      return null;
    });
    await harness.bus.connection.ping();
    const report = form({ CallStatus: 'completed' });
    expect((await ask(urlOf(call, 'status'), report))[0]).toBe(204);
  });

  it('responds with 503 when the worker does not reply, so that the provider retries', async () => {
    const call = await dialling('telephony1');
    await dial(call);
    using _served = harness.bus.commands.serve(call.callId, () => null);
    await harness.bus.connection.ping();
    expect((await ask(urlOf(call, 'status'), form({ CallStatus: 'completed' })))[0]).toBe(503);
  });

  it('ignores other statuses', async () => {
    const { statuses, commands } = await reportedBy(
      'telephony1',
      form({ CallStatus: 'in-progress' }),
      form({ CallStatus: 'ringing' }),
      form({}),
      json('{"CallStatus":'),
      json('[1]'),
      json({ CallStatus: { busy: true } }),
      { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'hello' },
      { method: 'POST' },
      { method: 'GET' },
    );
    expect(statuses).toEqual(Array(9).fill(204));
    expect(commands).toEqual([]);
  });

  it('accepts GET', async () => {
    const call = await dialling('telephony1');
    await dial(call);
    const commands: CallCommand[] = [];
    using _served = harness.bus.commands.serve(call.callId, (command) => {
      commands.push(command);
      return { outcome: 'accepted' };
    });
    await harness.bus.connection.ping();
    expect((await ask(`${urlOf(call, 'status')}&CallStatus=canceled`, { method: 'GET' }))[0]).toBe(204);
    expect(commands).toMatchObject([{ detail: 'The phone call was cancelled before it was answered.' }]);
  });

  it('sends no notification for unassigned, ended or incoming calls', async () => {
    const [held, incoming] = [
      await dialling('telephony1'),
      await account.createCall({ medium: { telephony1: {} } }),
    ];
    await dial(held);
    for (const call of [held, incoming])
      expect((await ask(urlOf(call, 'status'), form({ CallStatus: 'busy' })))[0]).toBe(204);
  });
});

describe.each(['answer', 'status'] as const)('the %s URL', (what) => {
  it('requires the token of the call', async () => {
    const [call, other] = [await dialling('telephony1'), await dialling('telephony1')];
    const expired = await createJoinTokens(JOIN_TOKEN_SECRETS).sign({ callId: call.callId, expiresAtMs: 1 });
    const forged = await createJoinTokens(['a different secret']).sign({
      callId: call.callId,
      expiresAtMs: Date.now() + 60_000,
    });
    for (const token of ['', 'x', tokenOf(other), expired, forged]) {
      expect((await ask(urlOf(call, what, token)))[0]).toBe(401);
    }
    const bare = urlOf(call, what).split('?')[0]!;
    expect((await ask(bare))[0]).toBe(401);
    expect((await ask(bare, { method: 'POST', headers: { 'X-API-Key': account.key } }))[0]).toBe(401);
    expect((await ask(`${harness.url}/telephony/nothing/${what}?token=${tokenOf(call)}`))[0]).toBe(404);
    expect((await ask(urlOf(call, what), { method: 'PUT' }))[0]).toBe(405);
  });

  it('exists only for phone calls', async () => {
    const call = await account.createCall();
    const token = new URL(call.joinUrl!).searchParams.get('token')!;
    expect((await ask(urlOf(call, what, token)))[0]).toBe(404);
  });

  it('accepts bodies up to 64 KiB', async () => {
    const call = await dialling('telephony1');
    const post = (bytes: number): RequestInit => ({ method: 'POST', body: 'a'.repeat(bytes) });
    expect((await ask(urlOf(call, what), post(65_536)))[0]).toBe(what === 'answer' ? 200 : 204);
    expect((await ask(urlOf(call, what), post(65_537)))[0]).toBe(413);
  });
});
