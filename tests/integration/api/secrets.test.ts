import { generateKeyPairSync } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { operations } from '@calls/api-contract/operations';
import type { AnyOperation } from '@calls/api-contract/operations/operation';
import type { ApiKeyCreate } from '@calls/api-contract/rest/api-key';
import type { Call } from '@calls/api-contract/rest/call';
import type { Tool } from '@calls/api-contract/rest/tool-resource';
import { mapSecrets, secretPaths } from '@calls/api-contract/secrets';
import { KEYED_TTS_VENDORS } from '@calls/providers/tts/tts-vendors';
import { CLIENT_TOOL, HTTP_TOOL, SERVER_WEB_SOCKET } from '../../support/contract/world.ts';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

const MARK = 'recognisable';
/** Prefix of the secrets in the requests of this test; nothing else contains it. */
const FILL = 'a secret to be planted';
/** A public value that proves that the search works. */
const PUBLIC = 'to be found by anyone';
/** Fields that affect the price and are therefore rejected. */
const REFUSED = /\.?voiceOverrides\.generic\.headers$/u;

let call: Call;
const paths: string[] = [];
/** Secrets that do not begin with MARK. */
const others: string[] = [];
/** Secret fields that a request contained, by operation. */
const plantedIn = new Set<string>();
let made = 0;

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, ['sip', 'retentionPolicy', 'admissionPreference']);
await plantEverywhere();
afterAll(() => harness.stop());

function operationOf(method: string, path: string): AnyOperation {
  const [plain = ''] = path.split('?');
  const fits = (template: string): boolean =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u').test(plain);
  const found = operations.filter((operation) => operation.method === method && fits(operation.path));
  // Literal paths come before those with parameters.
  const [operation] = found.sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  if (!operation) throw new Error(`no operation: ${method} ${path}`);
  return operation;
}

function hasAt(value: unknown, [head, ...rest]: readonly string[]): boolean {
  if (head === undefined) return value !== undefined;
  if (typeof value !== 'object' || value === null) return false;
  const items = head === '*' ? Object.values(value) : [(value as Record<string, unknown>)[head]];
  return items.some((item) => item !== undefined && hasAt(item, rest));
}

/** Returns the body with a unique secret in each of its secret fields. */
function planted({ id, body: schema }: AnyOperation, body: unknown): unknown {
  if (!schema) return body;
  for (const path of secretPaths(schema)) if (hasAt(body, path.split('.'))) plantedIn.add(`${id} ${path}`);
  return mapSecrets(schema, body, (text) => {
    made += 1;
    if (text === FILL) return `${MARK}-secret-${made}`;
    if (!text.startsWith(MARK)) others.push(text);
    return text;
  });
}

/** Sends the request and checks that the response contains no secret. */
async function send<T>(method: string, path: string, body: unknown, maxStatus = 201): Promise<T> {
  const response = await account.send<T>(method, path, planted(operationOf(method, path), body));
  if (response.status > maxStatus)
    throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
  expect(JSON.stringify(response.body)).not.toContain(MARK);
  return response.body;
}

/** Creates the resource, then replaces and updates it with the same body. */
async function create<T>(url: string, idField: keyof T | null, body: object): Promise<T> {
  const answer = await send<T>('POST', url, body);
  const [collection = ''] = url.split('?');
  const path = idField === null ? collection : `${collection}/${String(answer[idField])}`;
  paths.push(collection, path);
  for (const method of ['PUT', 'PATCH']) await change(method, path, body);
  return answer;
}

/** Does nothing when there is no such operation. */
async function change(method: string, path: string, body: object): Promise<void> {
  const exists = operations.some((each) => each.method === method && sameShape(each.path, path));
  if (!exists) return;
  const { properties = {} } = (operationOf(method, path).body ?? {}) as { properties?: object };
  const known = Object.fromEntries(Object.entries(body).filter(([field]) => field in properties));
  await send(method, path, known);
  paths.push(path);
}

function sameShape(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u').test(path);
}

async function plantEverywhere(): Promise<void> {
  others.push((await create<ApiKeyCreate>('/api/api_keys', null, { name: PUBLIC })).secret);
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  others.push(privateKey.split('\n')[5] ?? '');
  const serviceAccount = { client_email: 'speak@example.com', private_key: privateKey };
  const keys = KEYED_TTS_VENDORS.map(({ key }) => key).filter((key) => key !== 'provider4');
  await change('PATCH', '/api/accounts/me/tts_api_keys', {
    ...Object.fromEntries(keys.map((provider) => [provider, `${MARK}-key-of:${provider}`])),
    provider4: JSON.stringify(serviceAccount),
  });
  const { publicKey } = generateKeyPairSync('ed25519');
  const telephony = {
    telephony1: { accountSid: 'AC1', authToken: `${MARK}-telephony1` },
    telephony2: {
      accountSid: 'AC2',
      apiKey: `${MARK}-telephony2`,
      publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64'),
      applicationSid: 'app',
    },
    telephony3: { authId: 'MA1', authToken: `${MARK}-telephony3` },
  };
  for (const [provider, config] of Object.entries(telephony)) {
    await create(`/api/telephony_configs/${provider}`, null, config);
  }
  await change('PATCH', '/api/accounts/me/telephony_config', telephony);
  await create<{ registrationId: string }>('/api/sip/registrations', 'registrationId', {
    username: 'reception',
    password: FILL,
    proxy: 'sip.example.com',
  });
  await create<{ trunkId: string }>('/api/sip/trunks', 'trunkId', {
    name: 'Office line',
    ...{ username: 'reception', password: FILL, incomingUsername: 'peer', incomingPassword: FILL },
  });
  const secrets = [FILL, FILL];
  await change('PATCH', '/api/sip', { fallbackHandler: { url: 'https://example.com/sip', secrets } });
  await create<{ webhookId: string }>('/api/webhooks', 'webhookId', {
    url: 'https://example.com/hook',
    secrets,
    events: ['call.started', 'call.ended'],
  });
  const headers = { Authorization: FILL, 'X-Key': FILL };
  const generic = { generic: { url: 'https://example.com/speak', headers } };
  await create<{ voiceId: string }>('/api/voices', 'voiceId', { name: 'own', definition: generic });
  const { toolId } = await create<Tool>('/api/tools', 'toolId', { name: 'probe', definition: HTTP_TOOL });
  // The target is unreachable; the error response must not contain a secret either.
  await send('POST', `/api/tools/${toolId}/test`, { parameters: {}, authTokens: { key: FILL } }, 502);
  const unreachable = { generic: { url: 'https://voice.invalid/speak', headers } };
  await send('POST', '/api/voice_preview', { name: 'own', definition: unreachable }, 400);

  const selectedTools = [
    { temporaryTool: HTTP_TOOL, authTokens: { key: FILL }, parameterOverrides: { language: 'en' } },
    { temporaryTool: { ...CLIENT_TOOL, modelToolName: 'openPage' } },
  ];
  const sip = { sip: { outgoing: { to: 'sip:a@example.com', from: 'b', username: 'c', password: FILL } } };
  const hook = { url: 'https://example.com/callback', secrets };
  const forCalls = {
    sharedSecrets: secrets,
    dataConnection: { websocketUrl: 'wss://example.com/data', headers },
  };
  const callbacks = { joined: hook, ended: hook, billed: hook };
  const template = { ...forCalls, externalVoice: generic, selectedTools };
  await create<{ agentId: string }>('/api/agents', 'agentId', {
    name: PUBLIC,
    callTemplate: { ...template, medium: sip },
  });
  const { agentId } = await create<{ agentId: string }>('/api/agents', 'agentId', {
    name: 'batches',
    callTemplate: { ...template, medium: SERVER_WEB_SOCKET },
  });
  const agentPath = `/api/agents/${agentId}`;
  const batches = `${agentPath}/scheduled_batches`;
  const { batchId } = await create<{ batchId: string }>(batches, 'batchId', {
    webhookUrl: 'https://example.com/batch',
    webhookSecret: FILL,
    paused: true,
    calls: [{ medium: sip }],
  });
  paths.push(`${batches}/${batchId}/scheduled_calls`, `${agentPath}/revisions`);
  await send('POST', `${agentPath}/calls`, {
    ...forCalls,
    callbacks,
    medium: sip,
    toolOverrides: { removeAll: true, add: selectedTools },
  });
  const ofSip = { callTemplate: { ...template, medium: sip } };
  await send('POST', `${agentPath}/calls`, ofSip);
  await send('POST', `${agentPath}/revisions`, ofSip);
  await send('POST', '/api/calls', { medium: sip, systemPrompt: PUBLIC });
  call = await create<Call>('/api/calls', 'callId', { ...template, callbacks, medium: SERVER_WEB_SOCKET });
  const callPath = `/api/calls/${call.callId}`;
  await send('POST', `/api/calls?priorCallId=${call.callId}`, {});
  const stages = await account.list<{ callStageId: string }>(`${callPath}/stages`);
  const stagePath = `${callPath}/stages/${stages.results[0]!.callStageId}`;
  paths.push(...['', '/messages', '/tools'].map((rest) => `${stagePath}${rest}`));
  paths.push(...['/messages', '/tools', '/events', '/stages'].map((rest) => `${callPath}${rest}`));
  paths.push('/api/webhook_deliveries', '/api/accounts/me', `/api/tools/${toolId}/history`);
  // This notifies the callbacks of the call.
  const event = harness.eventsOf(call, account.accountId);
  await harness.bus.callLogs.append(event(1, { type: 'joined', clientVersion: null, workerId: 'w' }));
  await eventually(async () => expect((await account.call(call.callId)).joined).not.toBeNull());
}

/** All rows of all tables. */
async function rows(): Promise<string> {
  const tables = await harness.query(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const found = await harness.query(`select row_to_json(t)::text as row from ${String(name)} t`);
    texts.push(...found.rows.map(({ row }) => String(row)));
  }
  return texts.join('\n');
}

/** Contents of the files of the database, Redis and NATS, including their journals. */
async function files(): Promise<string[]> {
  await harness.query('checkpoint');
  const root = harness.servers.directory;
  const contents: string[] = [];
  for await (const entry of glob('**/*', { cwd: root, withFileTypes: true })) {
    if (entry.isFile()) contents.push(await readFile(join(entry.parentPath, entry.name), 'latin1'));
  }
  return contents;
}

describe('secrets', () => {
  it('are planted in every secret field of every request body', () => {
    const all = operations.flatMap(({ id, body }) =>
      body ? secretPaths(body).map((path) => `${id} ${path}`) : [],
    );
    expect(all.length).toBeGreaterThan(60);
    expect(all.filter((field) => !plantedIn.has(field) && !REFUSED.test(field))).toEqual([]);
  });

  it('appear in no response to their owner or to others', async () => {
    const stranger = await harness.account('SCALE', null, ['sip']);
    for (const path of new Set(paths)) {
      const { status, body } = await account.request<unknown>(path);
      expect([path, status]).toEqual([path, 200]);
      const strange = await stranger.request<unknown>(path);
      for (const answer of [body, strange.body].map((each) => JSON.stringify(each))) {
        for (const text of [MARK, ...others]) expect(answer).not.toContain(text);
      }
    }
  });

  it('appear unencrypted in no table and no server file', async () => {
    const secrets = [MARK, ...others, account.key, account.key.slice(9)];
    const stored = await rows();
    expect(stored).toContain(PUBLIC);
    const delivered = await harness.query('select distinct event from webhook_deliveries order by 1');
    expect(delivered.rows).toEqual([{ event: 'call.joined' }, { event: 'call.started' }]);
    for (const text of secrets) expect(stored).not.toContain(text);

    const onDisk = await files();
    const holding = (text: string): number => onDisk.filter((content) => content.includes(text)).length;
    expect(holding(PUBLIC)).toBeGreaterThan(0);
    // Encrypted values appear in rows and in messages to media-workers.
    expect(holding(call.callId)).toBeGreaterThan(0);
    expect(secrets.map(holding)).toEqual(secrets.map(() => 0));
  });
});
