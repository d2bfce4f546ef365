import { afterAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallEvent } from '@calls/api-contract/rest/call-records';
import type { Page } from '@calls/api-contract/rest/common';
import type { Message } from '@calls/api-contract/rest/message';
import type { Voice } from '@calls/api-contract/rest/voice';
import type { ControlPlaneConfig } from '@calls/control-plane/config';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { newId } from '@calls/foundation/ids';
import { connect as connectNats } from 'nats';
import { revokeApiKey } from '@calls/store/tables/api-keys';
import { endedEntry } from '@calls/testkit/ended-entry';
import {
  ControlPlaneHarness,
  JOIN_TOKEN_SECRETS,
  type TestAccount,
  type TestRequest,
} from '../support/control-plane-harness.ts';
import { eventually } from '../support/eventually.ts';

const never = new AbortController().signal;

const harness = await ControlPlaneHarness.start({ ownPostgres: true });
const account = await harness.account();
afterAll(() => harness.stop());

/** Consumes published created calls until it finds this one. */
async function takeCreated(callId: string): Promise<CreatedCall | null> {
  for (;;) {
    const delivery = await harness.bus.createdCalls.take('standard', 30_000, never);
    if (!delivery) return null;
    delivery.ack();
    if (delivery.call.spec.callId === callId) return delivery.call;
  }
}

describe('authentication', () => {
  it('accepts only a valid key in either header', async () => {
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${harness.url}/api/models`, { headers })).status;
    const expired = await harness.account('SCALE', new Date(Date.now() - 1));
    const revoked = await harness.account();
    await revokeApiKey(harness.store.db, revoked.accountId, revoked.key.slice(0, 8), new Date());
    expect(await status({ 'X-API-Key': account.key })).toBe(200);
    expect(await status({ 'X-Unsafe-API-Key': account.key })).toBe(200);
    const refused = [
      undefined,
      '',
      'x',
      `${account.key.slice(0, 9)}${'x'.repeat(32)}`,
      expired.key,
      revoked.key,
    ];
    for (const key of refused) {
      const headers: Record<string, string> = key === undefined ? {} : { 'X-API-Key': key };
      const response = await fetch(`${harness.url}/api/models`, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({
        detail: 'A valid API key is required in the X-API-Key header.',
        code: 'unauthorized',
      });
    }
  });

  it('rejects a revoked key within seconds', async () => {
    const other = await harness.account();
    expect((await other.request('/api/models')).status).toBe(200);
    await revokeApiKey(harness.store.db, other.accountId, other.key.slice(0, 8), new Date());
    await eventually(async () => expect((await other.request('/api/models')).status).toBe(401));
  });

  it('allows web pages to send X-Unsafe-API-Key but not X-API-Key', async () => {
    const response = await fetch(`${harness.url}/api/calls`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(response.status).toBe(204);
    const allowed = (response.headers.get('Access-Control-Allow-Headers') ?? '').toLowerCase().split(/,\s*/);
    expect(allowed).toEqual(expect.arrayContaining(['x-unsafe-api-key', 'idempotency-key']));
    expect(allowed).not.toContain('x-api-key');
  });

  it('hides calls of other accounts', async () => {
    const call = await account.createCall();
    const other = await harness.account();
    for (const path of ['', '/messages', '/events']) {
      expect(await other.request(`/api/calls/${call.callId}${path}`)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
      expect((await account.request(`/api/calls/${call.callId}${path}`)).status).toBe(200);
    }
    expect((await other.list<Call>('/api/calls')).total).toBe(0);
  });
});

describe('POST /api/calls', () => {
  it('stores and publishes the call and returns a join URL', async () => {
    const call = await account.createCall({
      systemPrompt: 'Be kind.',
      voice: 'Bruno',
      joinTimeout: '20s',
      languageHint: 'en-GB',
      metadata: { order: '7' },
      vadSettings: { turnEndpointDelay: '0.5s' },
    });
    expect(call).toMatchObject({
      joined: null,
      ended: null,
      billingStatus: 'BILLING_STATUS_PENDING',
      firstSpeaker: 'FIRST_SPEAKER_AGENT',
      joinTimeout: '20s',
      maxDuration: '3600s',
      model: 'svc-v0.7',
      systemPrompt: 'Be kind.',
      temperature: 0,
      voice: 'Bruno',
      metadata: { order: '7' },
      vadSettings: { turnEndpointDelay: '0.5s' },
    });
    expect(await account.call(call.callId)).toEqual(call);
    const joinUrl = new URL(call.joinUrl!);
    expect(joinUrl.origin + joinUrl.pathname).toBe(`ws://media.test:1/join/${call.callId}`);
    const token = joinUrl.searchParams.get('token')!;
    expect(await createJoinTokens(JOIN_TOKEN_SECRETS).verify(token)).toEqual({ callId: call.callId });
    const created = await takeCreated(call.callId);
    expect(created).toMatchObject({
      admissionClass: 'standard',
      spec: {
        accountId: account.accountId,
        joinTimeoutMs: 20_000,
        firstStage: {
          voice: { engine: 'espeak-ng', settings: { voice: 'Bruno' } },
          vad: { turnEndpointDelayMs: 500 },
        },
        greetingPromptEnabled: true,
      },
    });
  });

  it('selects the voice by id, by name or else by language', async () => {
    const { results } = await account.list<Voice>('/api/voices');
    const dario = results.find((voice) => voice.name === 'Dario');
    const spoken = async (extra: Record<string, unknown>, query = '') => {
      const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
      const { body } = await account.post<Call>(`/api/calls${query}`, { medium, ...extra });
      return (await takeCreated(body.callId))?.spec;
    };
    expect((await spoken({ voice: dario!.voiceId }))?.firstStage.voice.settings).toEqual({ voice: 'Dario' });
    expect((await spoken({ languageHint: 'de-AT' }))?.firstStage.voice.settings).toEqual({ voice: 'Clara' });
    expect((await spoken({}))?.firstStage.voice.settings).toEqual({ voice: 'Alba' });
    expect((await spoken({}, '?enableGreetingPrompt=false'))?.greetingPromptEnabled).toBe(false);
  });

  it('reports every issue with its path and writes nothing', async () => {
    const other = await harness.account('SCALE', null, ['sip']);
    const response = await other.post('/api/calls', {
      temperature: -1,
      joinTimeout: '-1s',
      metadata: { 'svc.a': 'b' },
      medium: { webRtc: {}, serverWebSocket: { inputSampleRate: 100 } },
      vadSetings: {},
    });
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(response.body.errors!.map((issue) => issue.path).sort()).toEqual([
      'joinTimeout',
      'medium',
      'medium.serverWebSocket.inputSampleRate',
      'metadata.svc.a',
      'temperature',
      'vadSetings',
    ]);
    expect(response.body.errors).toContainEqual({
      path: 'vadSetings',
      message: 'is not a known field; did you mean vadSettings?',
    });
    const typo = await other.post('/api/calls', { vadSetings: {} });
    expect(typo.body.detail).toMatch(/; did you mean vadSettings\?$/u);
    const unknown = await other.post('/api/calls', { model: 'nope', voice: 'Unknown' });
    expect(unknown.body.errors!.map((issue) => issue.path)).toEqual(['model', 'voice']);
    expect((await other.post('/api/calls?enableGreetingPrompt=perhaps', {})).status).toBe(400);
    expect(await other.post('/api/calls', { medium: { sip: { incoming: {} } } })).toMatchObject({
      status: 422,
      body: { code: 'medium_not_available', detail: expect.stringContaining('INVITE') },
    });
    expect((await other.list('/api/calls')).total).toBe(0);
  });

  it('accepts any Unicode text except NUL characters and lone surrogates', async () => {
    const prompt = 'ä🙂 "quotes" \\u0000 \u2028';
    const call = await account.createCall({ systemPrompt: prompt });
    expect((await account.call(call.callId)).systemPrompt).toBe(prompt);
    const bad = await account.post('/api/calls', { systemPrompt: 'a\0b', metadata: { x: '\ud800' } });
    expect(bad.body.errors!.map((issue) => issue.path).sort()).toEqual(['metadata.x', 'systemPrompt']);
  });
});

describe('invalid requests', () => {
  const post = (init: TestRequest) => account.request('/api/calls', { method: 'POST', ...init });
  const json = { 'Content-Type': 'application/json' };

  it('get 413 above 1 MiB and are accepted just below', async () => {
    const over = JSON.stringify({ systemPrompt: 'x'.repeat(1024 * 1024) });
    expect(await post({ headers: json, body: over })).toMatchObject({
      status: 413,
      body: { code: 'too_large' },
    });
    const call = await account.createCall({
      systemPrompt: 'x'.repeat(524_288),
      initialMessages: Array.from({ length: 8 }, () => ({
        role: 'MESSAGE_ROLE_USER',
        text: 'y'.repeat(65_000),
      })),
    });
    expect((await takeCreated(call.callId))?.spec.firstStage.initialMessages).toHaveLength(8);
  });

  it('get 415 for other content types and 400 for malformed JSON', async () => {
    expect(await post({ headers: { 'Content-Type': 'text/plain' }, body: '{}' })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    });
    for (const body of ['{', '{"a":', 'null', '[]', '"x"', '']) {
      const { status } = await post({ headers: json, body });
      expect(status).toBe(body === '' ? 201 : 400);
    }
    expect((await post({ headers: json, body: '{"systemPrompt": "x",}' })).body).toEqual({
      code: 'malformed_request',
      detail:
        'The request body is not valid JSON: Expected double-quoted property name in JSON at position 21 (line 1 column 22).',
    });
    expect(
      await post({ headers: json, body: Buffer.from('{"systemPrompt":"\u00fc"}', 'latin1') }),
    ).toMatchObject({
      status: 400,
      body: { code: 'malformed_request', detail: 'The request body is not valid UTF-8.' },
    });
  });

  it('get 404 and 405 as JSON', async () => {
    expect((await account.request('/api/calls/not-an-id')).body.code).toBe('not_found');
    expect((await account.request(`/api/calls/${newId()}`)).status).toBe(404);
    expect((await account.request('/elsewhere')).body.code).toBe('not_found');
    const response = await account.request('/api/calls', { method: 'PUT' });
    expect(response).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(response.headers.get('Allow')).toBe('GET, POST, HEAD, OPTIONS');
  });

  it('do not stop the server when they are not HTTP', async () => {
    const { port } = new URL(harness.url);
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('close', () => resolve(text)).on('error', reject);
    });
    expect(said).toMatch(/^HTTP\/1\.1 400/);
    expect((await fetch(`${harness.url}/healthz`)).status).toBe(200);
  });
});

describe('lists', () => {
  it('page stably in both directions while calls are added, with usable links', async () => {
    const other = await harness.account();
    const made: string[] = [];
    for (let i = 0; i < 7; i += 1) made.unshift((await other.createCall()).callId);
    const ids = (page: Page<Call>) => page.results.map((call) => call.callId);
    const first = await other.list<Call>('/api/calls?pageSize=3');
    expect(first).toMatchObject({ total: 7, previous: null });
    expect(ids(first)).toEqual(made.slice(0, 3));
    await other.createCall();
    const second = await other.list<Call>(first.next!);
    expect(ids(second)).toEqual(made.slice(3, 6));
    expect(second.total).toBe(8);
    const third = await other.list<Call>(second.next!);
    expect(ids(third)).toEqual(made.slice(6));
    expect(third.next).toBeNull();
    const back = await other.list<Call>(third.previous!);
    expect(ids(back)).toEqual(made.slice(3, 6));
    const start = await other.list<Call>(back.previous!);
    expect(ids(start)).toEqual(made.slice(0, 3));
    // The added call precedes this page.
    expect(start.previous).not.toBeNull();
  });

  it('reject foreign cursors, forged cursors and invalid page sizes', async () => {
    const other = await harness.account();
    for (let i = 0; i < 2; i += 1) await other.createCall();
    const { next } = await other.list('/api/calls?pageSize=1');
    const cursor = new URL(next!).searchParams.get('cursor')!;
    for (const query of [
      `cursor=${cursor}`,
      `cursor=${cursor}x`,
      'cursor=',
      'pageSize=0',
      'pageSize=101',
      'pageSize=x',
    ]) {
      const response = await account.request(`/api/calls?${query}`);
      expect(response.status).toBe(400);
      expect(response.body.errors).toHaveLength(1);
    }
  });

  it('ignore unknown query parameters, including names of inherited object properties', async () => {
    const known = await account.list('/api/calls?pageSize=1');
    const query = 'page=2&format=json&colour=&__proto__=x&toString=x&constructor[a]=b';
    const { results } = await account.list(`/api/calls?pageSize=1&${query}`);
    expect(results).toEqual(known.results);
  });

  it('use the configured API address in links, independent of the Host header', async () => {
    const { host, hostname, port } = new URL(harness.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          'GET http://elsewhere.test/api/voices?pageSize=1 HTTP/1.1\r\nHost: elsewhere.test\r\n' +
            `X-API-Key: ${account.key}\r\nConnection: close\r\n\r\n`,
        ),
      );
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('error', reject).on('close', () => resolve(text));
    });
    expect(answer).toContain(`"next":"http://${host}/api/voices?pageSize=1&cursor=`);
  });

  it('contain the catalogue of voices and models', async () => {
    const voices = await account.list<Voice>('/api/voices?pageSize=3');
    expect(voices.results.map((voice) => voice.name)).toEqual(['Alba', 'Bruno', 'Clara']);
    expect((await account.list<Voice>(voices.next!)).results.map((voice) => voice.name)).toEqual(['Dario']);
    expect((await account.list('/api/models')).results).toEqual([
      { name: 'svc-v0.7', displayName: 'Embedded script' },
      { name: 'svc-local', displayName: 'Embedded script' },
    ]);
  });
});

describe('call events', () => {
  const message = (stageId: string, index: number, text: string) =>
    ({ type: 'message_added', stageId, index, message: { role: 'MESSAGE_ROLE_USER', text } }) as const;

  it('replace a message by a later one with the same index, in any order of arrival', async () => {
    const call = await account.createCall();
    const stageId = (await takeCreated(call.callId))!.spec.firstStage.stageId;
    const event = harness.eventsOf(call, account.accountId);
    const events = [
      event(1, { type: 'joined', clientVersion: 'web/1', workerId: 'w1' }, Date.now()),
      event(2, message(stageId, 0, 'a table')),
      event(3, message(stageId, 1, 'When?')),
      event(4, message(stageId, 0, 'a table for two')),
    ];
    for (const index of [3, 0, 2, 1, 1]) await harness.bus.callLogs.append(events[index]!);
    await eventually(async () => {
      const { results } = await account.list<Message>(`/api/calls/${call.callId}/messages`);
      expect(results.map(({ text }) => text)).toEqual(['a table for two', 'When?']);
    });
  });

  it('take effect once, in any order and with duplicates', async () => {
    const call = await account.createCall();
    const stageId = (await takeCreated(call.callId))!.spec.firstStage.stageId;
    const event = harness.eventsOf(call, account.accountId);
    const joinedAtMs = Date.now();
    const endedAtMs = joinedAtMs + 61_000;
    const noted = { type: 'noted', stageId, callTimestampMs: 1250, extras: null } as const;
    const events = [
      event(1, { type: 'joined', clientVersion: 'web/1\0', workerId: 'w1' }, joinedAtMs),
      event(2, message(stageId, 0, 'hello\0')),
      event(3, { ...noted, severity: 'warning', eventType: 'audio_overflow', text: 'too much' }),
      event(4, { ...noted, severity: 'debug', eventType: 'detail', text: 'small' }),
      event(5, message(stageId, 1, 'bye')),
      event(6, endedEntry({ joinedAtMs, inputTokens: 12, outputTokens: 34 }), endedAtMs),
    ];
    for (const index of [5, 2, 4, 0, 1, 3]) await harness.bus.callLogs.append(events[index]!);
    const messages = () => account.list<Message>(`/api/calls/${call.callId}/messages`);
    await eventually(async () => expect((await messages()).total).toBe(2));
    await eventually(async () => expect((await account.call(call.callId)).clientVersion).not.toBeNull());
    const shown = await eventually(async () => {
      const after = await account.call(call.callId);
      expect(after.ended).not.toBeNull();
      return after;
    });
    expect(shown).toMatchObject({
      joined: new Date(joinedAtMs).toISOString(),
      ended: new Date(endedAtMs).toISOString(),
      endReason: 'hangup',
      clientVersion: 'web/1\ufffd',
      billedDuration: '66s',
      billingStatus: 'BILLING_STATUS_BILLED',
      billedSideInputTokens: 12,
      billedSideOutputTokens: 34,
    });
    expect((await messages()).results).toMatchObject([
      { text: 'hello\ufffd', callStageId: stageId, callStageMessageIndex: 0 },
      { text: 'bye', callStageMessageIndex: 1 },
    ]);
    const eventTypes = async (query: string) =>
      (await account.list<CallEvent>(`/api/calls/${call.callId}/events${query}`)).results.map(
        (each) => each.type,
      );
    await eventually(async () => expect(await eventTypes('?minimum_severity=debug')).toHaveLength(2));
    expect(await eventTypes('')).toEqual(['audio_overflow']);
    expect(await eventTypes('?minimum_severity=debug&type=detail')).toEqual(['detail']);
    expect(await eventTypes('?minimum_severity=error')).toEqual([]);
    expect((await account.request(`/api/calls/${call.callId}/events?minimum_severity=loud`)).status).toBe(
      400,
    );

    // A second end with another reason and time changes nothing.
    const again = harness.eventsOf(call, account.accountId);
    await harness.bus.callLogs.append(
      again(7, endedEntry({ endReason: 'system_error', joinedAtMs }), endedAtMs + 9e6),
    );
    await harness.bus.callLogs.append(again(8, message(stageId, 2, 'after')));
    await eventually(async () => expect((await messages()).total).toBe(3));
    expect(await account.call(call.callId)).toEqual(shown);
  });

  it('use free minutes once and at most the amount reserved for the call', async () => {
    const free = await harness.account('FREE');
    const end = async (
      maxDuration: string,
      durationMs: number,
      endReason: 'hangup' | 'system_error' = 'hangup',
    ) => {
      const call = await free.createCall({ maxDuration });
      const event = harness.eventsOf(call, free.accountId);
      const ended = endedEntry({ endReason, joinedAtMs: 1_000_000 });
      for (const seq of [1, 2]) await harness.bus.callLogs.append(event(seq, ended, 1_000_000 + durationMs));
      return eventually(async () => {
        const { billingStatus } = await free.call(call.callId);
        expect(billingStatus).not.toBe('BILLING_STATUS_PENDING');
        return billingStatus;
      });
    };
    expect(await end('1800s', 29 * 60_000)).toBe('BILLING_STATUS_FREE_MINUTES');
    expect(await end('60s', 5000, 'system_error')).toBe('BILLING_STATUS_FREE_SYSTEM_ERROR');
    // Slightly over its limit, as calls are that end at their time limit.
    expect(await end('60s', 60_020)).toBe('BILLING_STATUS_FREE_MINUTES');
    const used = await harness.store.db
      .selectFrom('accounts')
      .select('free_seconds_used')
      .where('account_id', '=', free.accountId)
      .executeTakeFirstOrThrow();
    expect(used.free_seconds_used).toBe(1800);
  });

  it('of unknown calls are dropped without delaying others', async () => {
    const ghost = harness.eventsOf({ callId: newId() }, account.accountId);
    await harness.bus.callLogs.append(ghost(1, { type: 'joined', clientVersion: null, workerId: 'w1' }));
    const call = await account.createCall();
    await harness.bus.callLogs.append(
      harness.eventsOf(call, account.accountId)(1, { type: 'joined', clientVersion: null, workerId: 'w1' }),
    );
    await eventually(async () => expect((await account.call(call.callId)).joined).not.toBeNull());
  });

  it('are not required to end an unassigned call as unjoined', async () => {
    const call = await account.createCall({ joinTimeout: '1s' });
    await harness.store.db
      .updateTable('calls')
      .set({ expires_at: new Date(Date.now() - 20_000) })
      .where('call_id', '=', call.callId)
      .execute();
    await eventually(async () => expect((await account.call(call.callId)).endReason).toBe('unjoined'));
    expect(await account.call(call.callId)).toMatchObject({
      billingStatus: 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION',
      billedDuration: '0s',
    });
  });
});

/** Resolves when calls are refused because a store is unavailable. */
async function untilUnavailable(owner: TestAccount): Promise<void> {
  const refused = await eventually(async () => {
    const response = await owner.post('/api/calls', {
      medium: { serverWebSocket: { inputSampleRate: 8000 } },
    });
    expect(response.status).toBe(503);
    return response;
  });
  expect(refused.body.code).toBe('unavailable');
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
}

describe('outages', () => {
  it('of the created-calls stream cause 503 until the stream is back', async () => {
    const other = await harness.account();
    const { host, username: token } = new URL(harness.nats.url);
    const operator = await connectNats({ servers: host, token });
    await (await operator.jetstreamManager()).streams.delete('CALLS_CREATED');
    await operator.close();
    await untilUnavailable(other);
    const readiness = await fetch(`${harness.url}/readyz`);
    expect(readiness.status).toBe(503);
    expect(JSON.stringify(await readiness.json())).toContain('CALLS_CREATED');
    // A service that reconnects creates missing streams.
    await harness.nats.stop();
    await harness.nats.start();
    await eventually(() => other.createCall());
    await eventually(async () => expect((await fetch(`${harness.url}/readyz`)).status).toBe(200));
  });

  it('of the bus cause 503 with Retry-After and no writes; stored calls are published later', async () => {
    const other = await harness.account();
    expect((await other.request('/api/calls')).status).toBe(200);
    // A call that was not published: the call and its outbox row are stored.
    const stored = await other.createCall();
    const created = await takeCreated(stored.callId);
    await harness.nats.stop();
    await eventually(async () => expect((await fetch(`${harness.url}/readyz`)).status).toBe(503));
    const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
    const refused = await other.post('/api/calls', { medium });
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await other.list('/api/calls')).total).toBe(1);
    const lost = { ...created!, spec: { ...created!.spec, callId: newId() } };
    await harness.store.db
      .insertInto('outbox')
      .values({ outbox_id: newId(), topic: 'created_call', payload: JSON.stringify(lost) })
      .execute();
    await harness.nats.start();
    expect(await takeLater(lost.spec.callId)).toEqual(lost);
    await eventually(async () => expect((await fetch(`${harness.url}/readyz`)).status).toBe(200));
    expect((await other.post('/api/calls', { medium })).status).toBe(201);
    await eventually(async () => {
      const rows = await harness.store.db
        .selectFrom('outbox')
        .selectAll()
        .where('topic', '=', 'created_call')
        .execute();
      expect(rows).toEqual([]);
    });
  });

  it('of the database cause 503 with Retry-After and recover without a restart', async () => {
    await harness.postgres.stop();
    const other = account;
    await untilUnavailable(other);
    expect((await fetch(`${harness.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${harness.url}/healthz`)).status).toBe(200);
    await harness.postgres.start();
    await eventually(() => other.createCall());
    await eventually(async () => expect((await fetch(`${harness.url}/readyz`)).status).toBe(200));
  });

  async function takeLater(callId: string): Promise<CreatedCall> {
    return eventually(async () => {
      const call = await takeCreated(callId);
      if (!call) throw new Error('not published yet');
      return call;
    });
  }
});

describe('a control-plane without an available store', () => {
  const withPassword = (url: string): string => url.replace(/\/\/[^@]*@/u, '//calls:wrong@');

  it('does not start, and names the variable and the cause', async () => {
    const empty = await harness.servers.database({ empty: true });
    const started = (changed: Partial<ControlPlaneConfig>) => harness.addReplica({}, changed);
    await expect(started({ databaseUrl: 'postgres:///calls?host=/nowhere' })).rejects.toThrow(
      'DATABASE_URL: the database is not available: connect ENOENT /nowhere/.s.PGSQL.5432',
    );
    await expect(started({ databaseUrl: withPassword(harness.postgres.url) })).rejects.toThrow(
      'DATABASE_URL: the database is not available: password authentication failed for user "calls"',
    );
    await expect(started({ databaseUrl: empty.url })).rejects.toThrow(
      /^DATABASE_URL: the database lacks the migrations 0001.*; run prepare-database of this release$/u,
    );
    await expect(started({ natsUrl: withPassword(harness.nats.url) })).rejects.toThrow(
      /^NATS_URL: connect to 127\.0\.0\.1:\d+: the message bus is not available: .*Authorization Violation/u,
    );
  });
});
