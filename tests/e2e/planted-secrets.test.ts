import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { StartCallRequest, type Call } from '@calls/api-contract/rest/call';
import { NewStage } from '@calls/api-contract/rest/call-records';
import { mapSecrets } from '@calls/api-contract/secrets';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { sql } from 'kysely';
import { Api } from '../support/api.ts';
import { checkCallSignature } from '../support/call-signature.ts';
import { DataConnectionServer } from '../support/data-connection-server.ts';
import { eventually } from '../support/eventually.ts';
import { flushToDisk } from '../support/flush-to-disk.ts';
import { searchFiles } from '../support/search-files.ts';
import { startSpanCollector } from '../support/span-collector.ts';
import { startTestStack } from '../support/start-stack.ts';
import { startToolServer, type SeenToolRequest } from '../support/tool-server/start-tool-server.ts';
import { openTestStore } from '../support/test-store.ts';

/** Prefix of every planted secret. */
const MARK = 'qzsecret';
/** Text of a stage prompt, which is visible to the owner and the model. */
const PROMPT = 'qzprompt';
/** A value that must be found, which proves that the search works. */
const PUBLIC = 'qzpublic';
const SHARED = `${MARK}-shared-0123456789`;
const OWN = `${MARK}-own-of-the-hook`;

const history = {
  name: 'history',
  location: 'PARAMETER_LOCATION_BODY',
  knownValue: 'KNOWN_PARAM_CONVERSATION_HISTORY',
};

/** Everything sent to clients and by the API. */
const shown: unknown[] = [];
const calls: Call[] = [];
let planted = 0;

/** `customer`: a customer server in its own process (tools, a voice, callbacks, background audio). */
const [standIn, collector, customer, dataConnection] = await Promise.all([
  startAiStandIn(),
  startSpanCollector(),
  startToolServer(),
  DataConnectionServer.start([SHARED]),
]);
const stack = await startTestStack({
  ownPostgres: true,
  env: {
    LLM_BASE_URL: standIn.baseUrl,
    LLM_MODEL: 'stand-in',
    STT_BASE_URL: standIn.baseUrl,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
    // The most verbose setting.
    LOG_LEVEL: 'debug',
    LOG_PII: 'true',
  },
});
const api = new Api(stack);
await callsOfEveryKind();
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  for (const part of [standIn, collector, customer, dataConnection]) await part[Symbol.asyncDispose]();
});

/** Replaces every `plant` in secret fields with a unique secret. */
function withSecrets<T>(schema: Parameters<typeof mapSecrets>[0], body: T): T {
  return mapSecrets(schema, body, (text) => {
    planted += 1;
    return text.startsWith(MARK) ? text : `${MARK}-${text}-${planted}`;
  });
}

function tool(name: string, kind: object) {
  return {
    temporaryTool: {
      modelToolName: name,
      description: `Does ${name}.`,
      automaticParameters: [history],
      // A busy machine may respond late.
      timeout: '40s',
      ...kind,
    },
  };
}

function httpTool(name: string) {
  const http = { baseUrlPattern: `${customer.url}/${name}`, httpMethod: 'POST' };
  const requirements = {
    httpSecurityOptions: { options: [{ requirements: { key: { headerApiKey: { name: 'X-Key' } } } }] },
  };
  return { ...tool(name, { http, requirements }), authTokens: { key: `token of ${name}` } };
}

function voice() {
  return {
    generic: {
      url: `${customer.url}/speak`,
      headers: { 'X-Voice': 'voice header' },
      responseSampleRate: 16_000,
      jsonAudioFieldPath: 'audio',
    },
  };
}

/** Tool response: a new stage with every kind of secret. */
function stage(): object {
  return withSecrets(NewStage, {
    systemPrompt: `You sell ${PROMPT}.`,
    externalVoice: voice(),
    selectedTools: [httpTool('recall')],
  });
}

/** A call in which a tool starts a new stage, and a tool of that stage receives the history. */
async function callThatChanges(
  kind: 'http' | 'client' | 'dataConnection',
  priorCallId?: string,
): Promise<void> {
  await standIn.control({
    llm: {
      rules: [
        { last: 'user', contains: 'change', reply: { toolCalls: [{ name: 'transfer', arguments: {} }] } },
        {
          last: 'tool',
          contains: 'stage changed',
          reply: { toolCalls: [{ name: 'recall', arguments: {} }] },
        },
        { last: 'tool', contains: '', reply: `All is ${PUBLIC}.` },
      ],
    },
  });
  const hook = `${customer.url}/hook`;
  const transfer = kind === 'http' ? httpTool('transfer') : tool('transfer', { [kind]: {} });
  const settings = withSecrets(StartCallRequest, {
    initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
    firstSpeakerSettings: { user: {} },
    recordingEnabled: true,
    sharedSecrets: [SHARED],
    externalVoice: voice(),
    dataConnection: {
      websocketUrl: dataConnection.url,
      headers: { Authorization: 'data header' },
      dataMessages: { toolUsed: true, callEvent: true, debug: true, invokingTool: true },
    },
    backgroundAudio: { audioClip: `${customer.url}/clip` },
    callbacks: { joined: { url: hook }, ended: { url: hook, secrets: [OWN] }, billed: { url: hook } },
    selectedTools: [transfer],
  });
  const medium = {
    serverWebSocket: {
      inputSampleRate: 16_000,
      dataMessages: { toolUsed: true, callEvent: true, debug: true },
    },
  };
  const query = priorCallId === undefined ? '' : `?priorCallId=${priorCallId}`;
  const body = priorCallId === undefined ? { medium, ...settings } : { medium };
  const created = await api.request<Call>('POST', `/api/calls${query}`, body);
  expect(created.status).toBe(201);
  const call = created.body;
  calls.push(call);
  shown.push(call);
  const connected = dataConnection.connections.length;
  const client = await api.join(call);
  await eventually(() => expect(dataConnection.connections.length).toBeGreaterThan(connected));
  client.send({ type: 'user_text_message', text: `Please change the ${PUBLIC}.` });
  if (kind !== 'http') {
    const connection = dataConnection.connections.at(-1);
    const messages = (): unknown[] =>
      kind === 'client' ? client.messages.map(({ message }) => message) : (connection?.messages ?? []);
    const type = kind === 'client' ? 'client_tool' : 'data_connection_tool';
    const invocationId = await eventually(() => {
      const asked = messages().find(
        (message): message is { type: string; invocationId: string } =>
          (message as { type: string }).type === `${type}_invocation`,
      );
      if (!asked) throw new Error('not invoked yet');
      return Promise.resolve(asked.invocationId);
    });
    const result = {
      type: `${type}_result`,
      invocationId,
      responseType: 'new-stage',
      result: JSON.stringify(stage()),
    };
    if (kind === 'client') client.send(result);
    else connection?.say(result);
  }
  await client.until('the end', () =>
    client.transcript.some(({ text }) => text.includes(`All is ${PUBLIC}`)),
  );
  // The voice of the stage is used.
  client.send({ type: 'set_output_medium', medium: 'voice' });
  client.send({ type: 'user_text_message', text: 'And now?' });
  const spoken = async (): Promise<void> => {
    expect((await customer.requests('/speak')).length).toBeGreaterThanOrEqual(calls.length);
  };
  await eventually(spoken);
  await client.hangUp();
  shown.push(client.messages, await api.endedCall(call.callId));
}

async function callsOfEveryKind(): Promise<void> {
  const speech = Buffer.alloc(32_000).toString('base64');
  await customer.script('/speak', {
    headers: { 'Content-Type': 'application/json' },
    body: { audio: speech },
  });
  await customer.script('/transfer', { headers: { 'X-Svc-Response-Type': 'new-stage' }, body: stage() });
  await customer.script('/recall', { body: 'recalled' });
  await customer.script('/hook', { status: 200, body: '' });
  const webhook = { url: `${customer.url}/webhook`, events: ['call.started', 'call.ended'], secrets: [OWN] };
  await customer.script('/webhook', { status: 200, body: '' });
  expect((await api.request('POST', '/api/webhooks', webhook)).status).toBe(201);
  await callThatChanges('http');
  await callThatChanges('client');
  await callThatChanges('dataConnection');
  await callThatChanges('http', calls[0]?.callId);
  await eventually(async () => {
    // On a busy machine, one may be delivered again.
    const delivered = async (path: string): Promise<number> =>
      new Set((await customer.requests(path)).map(({ body }) => JSON.stringify(body))).size;
    expect(await delivered('/hook')).toBe(3 * calls.length);
    expect(await delivered('/webhook')).toBe(2 * calls.length);
  });
}

/** Every row of every table, as text. */
async function rows(): Promise<string> {
  const store = openTestStore(stack.servers.databaseUrl);
  const tables = await sql<{ name: string }>`
    select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`.execute(
    store.db,
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const found = await sql<{
      row: string;
    }>`select row_to_json(t)::text as row from ${sql.raw(name)} t`.execute(store.db);
    texts.push(...found.rows.map(({ row }) => row));
  }
  await store[Symbol.asyncDispose]();
  return texts.join('\n');
}

describe('planted secrets', () => {
  it('appear in no table, server file, recording, call trace or log', async () => {
    const stored = await rows();
    expect(stored).toContain(PUBLIC);
    expect(stored).not.toContain(MARK);
    await flushToDisk(stack);
    const found = await searchFiles(stack.directory.root, [MARK, PUBLIC]);
    expect(found.filter((line) => line.startsWith(MARK))).toEqual([]);
    for (const folder of ['postgresql', 'nats', 'objects']) {
      expect(found.some((line) => line.startsWith(`${PUBLIC}: ${folder}`))).toBe(true);
    }
  });

  it('appear in no API response, client message, data connection message, metric or span', async () => {
    const rest = ['', '/messages', '/messages?mode=in_call', '/events', '/stages', '/tools'];
    const paths = calls.flatMap(({ callId }) => rest.map((path) => `/api/calls/${callId}${path}`));
    for (const path of [...paths, '/api/calls', '/api/webhooks', '/api/webhook_deliveries']) {
      const { status, body } = await api.request('GET', path);
      expect([path, status]).toEqual([path, 200]);
      shown.push(body);
    }
    const metrics = await fetch(`http://127.0.0.1:${stack.ports.metrics}/metrics`);
    const spans = Buffer.concat([...collector.bodies]).toString('latin1');
    const seen = [
      JSON.stringify([shown, dataConnection.connections.map(({ messages }) => messages)]),
      await metrics.text(),
      spans,
    ];
    expect(seen.map((text) => text.length > 1000)).toEqual([true, true, true]);
    expect(seen[0]).toContain(PUBLIC);
    expect(seen.map((text) => text.includes(MARK))).toEqual([false, false, false]);
  });

  it('appear in no model request, and a stage prompt contains only its prompt', async () => {
    const { recent } = await standIn.requests();
    const asked = recent.filter(({ role }) => role === 'llm');
    expect(JSON.stringify(asked)).toContain(PUBLIC);
    expect(JSON.stringify(recent)).not.toContain(MARK);
    for (const { callId } of calls) {
      expect(JSON.stringify(await api.messages(callId))).not.toContain(PROMPT);
    }
  });

  it('are sent only to their destinations in request headers', async () => {
    const requests = await customer.requests();
    expect(JSON.stringify(requests.map(({ body, query }) => [body, query]))).not.toMatch(
      new RegExp(`${MARK}|${PROMPT}`, 'u'),
    );
    const carried = new Set(
      requests.flatMap(({ path, headers }) =>
        Object.entries(headers).flatMap(([name, value]) =>
          String(value).includes(MARK) ? [`${path} ${name} ${String(value).replace(/-\d+$/u, '')}`] : [],
        ),
      ),
    );
    expect([...carried].sort()).toEqual([
      `/recall x-key ${MARK}-token of recall`,
      `/speak x-voice ${MARK}-voice header`,
      `/transfer x-key ${MARK}-token of transfer`,
    ]);
    expect(
      dataConnection.connections.map(({ headers }) => String(headers.authorization).startsWith(MARK)),
    ).toEqual(calls.map(() => true));
  });

  it('of a call sign its callbacks and background audio requests', async () => {
    const signed = ({ headers }: SeenToolRequest) => checkCallSignature(headers, [SHARED]);
    const clips = await customer.requests('/clip');
    expect(clips.length).toBeGreaterThan(0);
    expect(new Set(clips.map(signed))).toEqual(new Set(['valid']));
    expect(new Set((await customer.requests('/speak')).map(signed))).toEqual(new Set(['valid']));
    expect(dataConnection.connections.map(({ signature }) => signature)).toEqual(calls.map(() => 'valid'));
    for (const { body, headers } of await customer.requests('/hook')) {
      const { event } = body as { event: string };
      const timestamp = String(headers['x-svc-webhook-timestamp']);
      const expected = createHmac('sha256', event === 'call.ended' ? OWN : SHARED)
        .update(JSON.stringify(body))
        .update(timestamp)
        .digest('hex');
      expect([event, headers['x-svc-webhook-signature'], headers['x-svc-signature']]).toEqual([
        event,
        expected,
        expected,
      ]);
      expect(headers['x-svc-signature-timestamp']).toBe(timestamp);
      expect(calls.map(({ callId }) => callId)).toContain(headers['x-svc-call-id']);
    }
  });
});
