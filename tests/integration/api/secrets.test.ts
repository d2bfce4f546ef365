import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiKeyCreate, Call } from '@calls/api-contract';
import { generateKeyPairSync } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';
import { CLIENT_TOOL, HTTP_TOOL, SERVER_WEB_SOCKET } from '../../support/contract/world.ts';

const MARK = 'recognisable';
let made = 0;
/** A secret that nothing else looks like. */
function secret(): string {
  made += 1;
  return `${MARK}-secret-${made}`;
}
/** What is public, to see that it would have been found. */
const PUBLIC = 'to be found by anyone';

let harness: ControlPlaneHarness;
let account: TestAccount;
let createdKey: string;
let call: Call;
const paths: string[] = [];

beforeAll(async () => {
  harness = await ControlPlaneHarness.start();
  account = await harness.account('SCALE', null, ['sip', 'retentionPolicy', 'admissionPreference']);
  await createOneOfEverything();
}, 120_000);
afterAll(() => harness.stop());

/** Creates, keeps the path of what was made, and answers it. */
async function create<T>(url: string, idField: keyof T | null, body: unknown): Promise<T> {
  const answer = await account.post<T>(url, body);
  if (answer.status !== 201) throw new Error(`${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
  const [collection = ''] = url.split('?');
  paths.push(collection, ...(idField === null ? [] : [`${collection}/${String(answer.body[idField])}`]));
  return answer.body;
}

async function change(path: string, body: unknown): Promise<void> {
  const answer = await account.send('PATCH', path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  paths.push(path);
}

async function createOneOfEverything(): Promise<void> {
  const key = await create<ApiKeyCreate>('/api/api_keys', 'prefix', { name: PUBLIC });
  createdKey = key.secret;
  await change('/api/accounts/me/tts_api_keys', { provider1: secret(), provider7: `user:${secret()}` });
  const { publicKey } = generateKeyPairSync('ed25519');
  await create('/api/telephony_configs/telephony1', null, { accountSid: 'AC1', authToken: secret() });
  await create('/api/telephony_configs/telephony2', null, {
    accountSid: 'AC2',
    apiKey: secret(),
    publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64'),
    applicationSid: 'app',
  });
  await create('/api/telephony_configs/telephony3', null, { authId: 'MA1', authToken: secret() });
  paths.push('/api/accounts/me/telephony_config');
  await create<{ registrationId: string }>('/api/sip/registrations', 'registrationId', {
    username: 'reception',
    password: secret(),
    proxy: 'sip.example.com',
  });

  const selectedTools = [
    { temporaryTool: HTTP_TOOL, authTokens: { key: secret() }, parameterOverrides: { language: 'en' } },
    { temporaryTool: { ...CLIENT_TOOL, modelToolName: 'openPage' } },
  ];
  const sip = {
    sip: { outgoing: { to: 'sip:a@example.com', from: 'b', username: 'c', password: secret() } },
  };
  await create<{ agentId: string }>('/api/agents', 'agentId', {
    name: PUBLIC,
    callTemplate: { medium: sip, sharedSecrets: [secret()], selectedTools },
  });
  const { agentId } = await create<{ agentId: string }>('/api/agents', 'agentId', {
    name: 'batches',
    callTemplate: { medium: SERVER_WEB_SOCKET, sharedSecrets: [secret()], selectedTools },
  });
  const batches = `/api/agents/${agentId}/scheduled_batches`;
  const { batchId } = await create<{ batchId: string }>(batches, 'batchId', {
    paused: true,
    calls: [{ medium: sip }],
  });
  paths.push(`${batches}/${batchId}/scheduled_calls`);
  const hook = { url: 'https://example.com/callback', secrets: [secret()] };
  const settings = {
    systemPrompt: PUBLIC,
    sharedSecrets: [secret()],
    callbacks: { joined: hook, ended: hook, billed: hook },
    externalVoice: { provider1: { voiceId: 'v1' } },
  };
  call = await create<Call>('/api/calls', 'callId', {
    ...settings,
    medium: SERVER_WEB_SOCKET,
    selectedTools,
  });
  const callPath = `/api/calls/${call.callId}`;
  await create(`/api/calls?priorCallId=${call.callId}`, null, {});
  await create(`/api/agents/${agentId}/calls`, null, {
    toolOverrides: { removeAll: true, add: selectedTools },
  });
  const stages = await account.list<{ callStageId: string }>(`${callPath}/stages`);
  const stagePath = `${callPath}/stages/${stages.results[0]!.callStageId}`;
  paths.push(...['', '/messages', '/tools'].map((rest) => `${stagePath}${rest}`));
  paths.push(...['/messages', '/tools', '/events', '/stages'].map((rest) => `${callPath}${rest}`));
}

/** What their owner is answered, and nobody may read in a server: see docs/decisions.md. */
async function createWhatIsAnswered(): Promise<void> {
  const headers = { Authorization: secret() };
  const generic = { generic: { url: 'https://example.com/speak', headers } };
  const dataConnection = { websocketUrl: 'wss://example.com/data', headers };
  await create('/api/voices', null, { name: 'own', definition: generic });
  await create('/api/webhooks', null, {
    url: 'https://example.com/hook',
    secrets: [secret()],
    events: ['call.started', 'call.ended'],
  });
  await change('/api/sip', { fallbackHandler: { url: 'https://example.com/sip', secrets: [secret()] } });
  const { agentId } = await create<{ agentId: string }>('/api/agents', null, {
    callTemplate: { medium: SERVER_WEB_SOCKET, externalVoice: generic, dataConnection },
  });
  await create(`/api/agents/${agentId}/scheduled_batches`, null, {
    webhookUrl: 'https://example.com/batch',
    webhookSecret: secret(),
    paused: true,
    calls: [{}],
  });
  await create(`/api/agents/${agentId}/calls`, null, {});
  await create('/api/calls', null, { medium: SERVER_WEB_SOCKET, externalVoice: generic, dataConnection });
  // Of which its callbacks are told.
  const event = harness.eventsOf(call, account.accountId);
  await harness.bus.publishCallEvent(event(1, { type: 'joined', clientVersion: null, workerId: 'w' }));
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

/** What the files of the database, of Redis and of NATS have, journals included. */
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
  it('are in no answer but the one that made them', async () => {
    for (const path of paths) {
      const { status, body } = await account.request<unknown>(path);
      expect([path, status]).toEqual([path, 200]);
      const answer = JSON.stringify(body);
      for (const text of [`${MARK}-`, createdKey]) expect(answer).not.toContain(text);
    }
  });

  it('lie open in no table and no file of a server', async () => {
    await createWhatIsAnswered();
    const secrets = [MARK, createdKey, createdKey.slice(9), account.key];
    const stored = await rows();
    expect(stored).toContain(PUBLIC);
    const told = await harness.query('select distinct event from webhook_deliveries order by 1');
    expect(told.rows).toEqual([{ event: 'call.joined' }, { event: 'call.started' }]);
    for (const text of secrets) expect(stored).not.toContain(text);

    const onDisk = await files();
    const holding = (text: string): number => onDisk.filter((content) => content.includes(text)).length;
    expect(holding(PUBLIC)).toBeGreaterThan(0);
    // Rows, and the messages to media workers.
    expect(holding(call.callId)).toBeGreaterThan(0);
    expect(secrets.map(holding)).toEqual(secrets.map(() => 0));
  });
});
