import { createHmac } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import type { Tool } from '@calls/api-contract/rest/tool-resource';
import { listen } from '@calls/foundation/listen';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { findFreePorts } from '@calls/local-stack/free-port';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { speak } from '@calls/testkit/speech/speak';
import { WebSocket } from 'ws';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { searchFiles } from '../support/search-files.ts';
import { startTestStack } from '../support/start-stack.ts';

/** Prefix of every secret and every spoken word. */
const MARK = 'qxmark';
let made = 0;
function marked(what: string): string {
  made += 1;
  return `${MARK}-${what}-${made}-0123456789`;
}

const JOIN_TOKEN_SECRET = marked('join-token-secret');
/** Requests to the customer server. */
const asked: string[] = [];
/** Secrets that the service generated. */
const tokens: string[] = [];

const apiKey = marked('llm-key');
const standIn = await startAiStandIn({ apiKey });
const customer = createServer((request, response) => {
  asked.push(request.url?.split('?')[0] ?? '');
  const token = request.headers['x-svc-call-token'];
  if (typeof token === 'string') tokens.push(token);
  // The model repeats its whole input.
  void text(request).then((body) =>
    response.writeHead(500).end(JSON.stringify({ url: request.url, headers: request.headers, body })),
  );
});
const customerUrl = `http://127.0.0.1:${await listen(customer, { port: 0, variable: 'PORT' })}`;
/** Internal address of the media-worker for other workers. */
const peerPort = await findFreePorts(1);
const stack = await startTestStack({
  env: {
    LLM_BASE_URL: standIn.baseUrl,
    LLM_MODEL: 'stand-in',
    LLM_API_KEY: apiKey,
    STT_BASE_URL: standIn.baseUrl,
    STT_API_KEY: apiKey,
    TTS_PROVIDER1_BASE_URL: customerUrl,
    OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
    WEBHOOK_RETRY_MS: '100',
    WORKER_PORT: String(peerPort),
    JOIN_TOKEN_SECRET,
    ENCRYPTION_KEY: marked('encryption-key'),
    LOG_LEVEL: 'debug',
  },
});
const api = new Api(stack);
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
  customer.closeAllConnections();
  customer.close();
});

/** Close code, or the HTTP status of a rejected handshake. */
function outcomeOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.once('close', (code) => resolve(code));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('error', (error) => {
      if (!error.message.includes('Unexpected server response')) reject(error);
    });
  });
}

describe('a join request', () => {
  it('requires a valid, unexpired token of its call, even if other workers forward the request', async () => {
    const [one, other] = [await api.createCall(), await api.createCall()];
    const urls = [one, other].map(({ joinUrl }) => new URL(joinUrl ?? ''));
    const [own = '', others = ''] = urls.map(({ searchParams }) => searchParams.get('token') ?? '');
    tokens.push(own, others);
    const [header = '', claims = '', signature = ''] = own.split('.');
    const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = (head: object, body: object, secret = JOIN_TOKEN_SECRET): string => {
      const input = `${encoded(head)}.${encoded(body)}`;
      return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
    };
    const good = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object;
    const hs256 = { alg: 'HS256' };
    const expired = await createJoinTokens([JOIN_TOKEN_SECRET]).sign({
      callId: one.callId,
      expiresAtMs: Date.now() - 60_000,
    });
    const bad = {
      'none at all': '',
      'the token of another call': others,
      'an expired one': expired,
      'one of another secret': signed(hs256, good, `${JOIN_TOKEN_SECRET}!`),
      'one for another purpose': signed(hs256, { ...good, aud: 'call' }),
      'one without end': signed(hs256, { ...good, exp: undefined }),
      'one that is not signed': `${encoded({ alg: 'none' })}.${claims}.`,
      'one of another algorithm': signed({ alg: 'HS512' }, good),
      'other claims': `${header}.${encoded({ ...good, sub: other.callId })}.${signature}`,
      'half of it': own.slice(0, own.length / 2),
      'a changed signature': `${header}.${claims}.${signature.replace(/^./u, (c) => (c === 'A' ? 'B' : 'A'))}`,
      'a long one': 'x'.repeat(8000),
    };
    const joinUrl = (token: string, port = stack.ports.media): string => {
      const url = new URL(urls[0] ?? '');
      url.port = String(port);
      url.searchParams.set('token', token);
      return url.href;
    };
    for (const port of [stack.ports.media, peerPort]) {
      const outcomes = await Promise.all(
        Object.entries(bad).map(async ([what, token]) => [what, await outcomeOf(joinUrl(token, port))]),
      );
      expect(outcomes).toEqual(Object.keys(bad).map((what) => [what, 4401]));
    }
    expect(await outcomeOf(joinUrl('x'.repeat(20_000)))).toBe(431);
    // The call is unaffected by these attempts.
    const client = await api.join(one);
    await client.hangUp();
  });
});

describe('debug logs of all services', () => {
  it('contain no secrets of accepted or rejected requests', async () => {
    const call = { medium: { serverWebSocket: { inputSampleRate: 16_000 } } };
    const bodies: [path: string, body: unknown][] = [
      ['/api/calls', { ...call, sharedSecrets: [marked('secret')], unknown: marked('field') }],
      ['/api/calls', { ...call, [marked('name')]: 1 }],
      ['/api/calls', { ...call, sharedSecrets: marked('secret') }],
      ['/api/calls', { ...call, metadata: { key: marked('metadata') }, voice: marked('voice') }],
      ['/api/calls', { ...call, systemPrompt: '{{name}}', templateContext: { other: marked('context') } }],
      ['/api/webhooks', { url: `http://10.0.0.1/${marked('url')}`, events: [], secrets: [marked('secret')] }],
      ['/api/tools', { name: marked('tool'), definition: { http: { baseUrlPattern: marked('url') } } }],
    ];
    for (const [path, body] of bodies) {
      expect((await api.request('POST', path, body)).status).toBe(400);
    }
    type Sent = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };
    const raw = (path: string, init: Sent): Promise<Response> =>
      fetch(new URL(path, stack.apiUrl), {
        ...init,
        headers: { 'x-api-key': stack.developmentKey, 'content-type': 'application/json', ...init.headers },
      });
    const requests: [status: number, path: string, init: Sent][] = [
      [400, '/api/calls', { method: 'POST', body: `{"systemPrompt": "${marked('prompt')}` }],
      [404, `/api/calls/${marked('path')}`, {}],
      [200, `/api/calls?search=${marked('query')}&unknown=${marked('query')}`, {}],
      [404, `/${marked('path')}`, {}],
      [401, '/api/calls', { headers: { 'x-api-key': marked('key') } }],
      [401, '/api/calls', { headers: { 'x-api-key': `${MARK}00.${'a'.repeat(32)}` } }],
    ];
    for (const [status, path, init] of requests) expect((await raw(path, init)).status).toBe(status);
  });

  it('contain no words or secrets of a call in which everything fails', async () => {
    await api.request('PATCH', '/api/accounts/me/tts_api_keys', { provider1: marked('provider-key') });
    const hook = { url: `${customerUrl}/hook?token=${marked('hook-url')}`, secrets: [marked('hook-secret')] };
    await api.request('POST', '/api/webhooks', { ...hook, events: ['call.joined', 'call.ended'] });
    const requirements = {
      httpSecurityOptions: { options: [{ requirements: { key: { headerApiKey: { name: 'X-Key' } } } }] },
    };
    const tool = (modelToolName: string, url: string, more: object = {}) => ({
      temporaryTool: {
        modelToolName,
        description: marked('description'),
        requirements,
        http: { baseUrlPattern: url, httpMethod: 'POST' },
        dynamicParameters: [
          { name: 'what', location: 'PARAMETER_LOCATION_BODY', schema: { type: 'string' }, required: true },
        ],
        ...more,
      },
      authTokens: { key: marked('auth-token') },
    });
    const [spoken, written, answered] = [marked('spoken'), marked('written'), marked('answered')];
    await standIn.control({
      stt: { replies: [spoken] },
      llm: {
        rules: [
          {
            last: 'user',
            contains: written,
            reply: {
              text: `I look for ${answered}.`,
              toolCalls: ['look', 'closed', 'away', 'nothing'].map((name) => ({
                name,
                arguments: { what: marked('argument') },
              })),
            },
          },
          { last: 'user', contains: spoken, reply: marked('reply') },
        ],
        replies: ['Well.'],
      },
    });
    const { call, client } = await api.startCall({
      systemPrompt: marked('prompt'),
      initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
      firstSpeakerSettings: { user: {} },
      metadata: { key: marked('metadata') },
      sharedSecrets: [marked('shared-secret')],
      callbacks: { joined: hook, ended: hook, billed: hook },
      externalVoice: { provider1: { voiceId: 'v1' } },
      backgroundAudio: { audioClip: `${customerUrl}/clip?token=${marked('clip-url')}` },
      dataConnection: {
        websocketUrl: `${customerUrl.replace('http', 'ws')}/data?token=${marked('data-url')}`,
        headers: { Authorization: marked('data-header') },
      },
      selectedTools: [
        tool('look', `${customerUrl}/look`),
        tool('closed', `http://127.0.0.1:${await findFreePorts(1)}/closed`),
        tool('away', `http://nowhere.invalid/${marked('tool-url')}`),
      ],
    });
    tokens.push(new URL(call.joinUrl ?? '').searchParams.get('token') ?? '');
    client.send({ type: 'user_text_message', text: `Where is ${written}?` });
    const hears = (what: string): Promise<void> =>
      client.until(what, () => client.transcript.some((line) => line.text.includes(what)));
    await hears('Well.');
    await client.speak(
      await speak({ engine: 'flite', voice: 'slt', text: 'please tell me', sampleRateHz: 16_000 }),
    );
    await hears(`${MARK}-reply`);
    // TTS fails first, then the model.
    client.send({ type: 'set_output_medium', medium: 'voice' });
    client.send({ type: 'user_text_message', text: marked('written') });
    await eventually(() => expect(asked).toEqual(expect.arrayContaining(['/look', '/clip'])));
    await standIn.control({ llm: { behaviour: 'error', rules: [] }, stt: { behaviour: 'garbage' } });
    client.send({ type: 'user_text_message', text: marked('written') });
    const path = `/api/calls/${call.callId}/send_data_message`;
    await api.request('POST', path, { type: 'forced_agent_message', content: marked('forced') });
    await api.request('POST', path, { type: 'nonsense', content: marked('forced') });
    client.send({ type: 'nonsense', text: marked('nonsense') });
    await client.hangUp();
    await api.endedCall(call.callId);
    const { toolId } = (
      await api.request<Tool>('POST', '/api/tools', {
        name: 'probe',
        definition: {
          description: 'Probes.',
          http: { baseUrlPattern: `${customerUrl}/probe`, httpMethod: 'POST' },
        },
      })
    ).body;
    await api.request<Call>('POST', `/api/tools/${toolId}/test`, { parameters: {} });
    await eventually(() => expect(asked).toContain('/probe'));
  });

  it('contain none of the planted values at the end', async () => {
    const { logs } = stack.directory;
    const names = await readdir(logs);
    expect(names).toEqual(
      expect.arrayContaining(['control-plane.log', 'media-worker.log', 'dispatcher.log']),
    );
    const contents = await Promise.all(names.map((name) => readFile(join(logs, name), 'utf8')));
    const lines = contents.flatMap((content) => content.split('\n'));
    expect(lines.length).toBeGreaterThan(50);
    expect(lines.some((line) => line.includes('join refused'))).toBe(true);
    const secrets = [MARK, stack.developmentKey, stack.developmentKey.slice(9), ...tokens];
    expect(lines.filter((line) => secrets.some((secret) => secret !== '' && line.includes(secret)))).toEqual(
      [],
    );
    expect(await searchFiles(logs, secrets)).toEqual([]);
  });
});
