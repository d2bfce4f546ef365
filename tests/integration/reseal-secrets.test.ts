import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { createdCallValidator } from '@calls/api-contract/bus/created-call';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { ScheduledCallBatch } from '@calls/api-contract/rest/scheduled-batch';
import type { Voice } from '@calls/api-contract/rest/voice';
import { openMessage } from '@calls/call-lifecycle/creation/secrets';
import { openTemplate } from '@calls/call-lifecycle/creation/stored-secrets';
import { newId } from '@calls/foundation/ids';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import { webhookSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import { findAgent } from '@calls/store/tables/agents';
import { countRowsWith, SEALED_TABLES } from '@calls/store/tables/sealed-texts';
import { SERVER_WEB_SOCKET } from '../support/contract/world.ts';
import { ControlPlaneHarness, ENCRYPTION_KEY, JOIN_TOKEN_SECRETS } from '../support/control-plane-harness.ts';
import { copyOutbox } from '../support/copy-outbox.ts';
import { eventually } from '../support/eventually.ts';
import { crm, liveCall } from '../support/live-call.ts';

const ENTRY = join(import.meta.dirname, '../../services/control-plane/src/reseal-secrets.ts');
const NEW_KEY = 'a newer encryption key for tests only';
const SECRET = 'a-secret-of-sixteen-and-more';
const HEADERS = { Authorization: SECRET };
const hook = { url: 'https://example.com/hook', secrets: [SECRET] };

const old = createSecretBox([ENCRYPTION_KEY]);
const [oldKeyId = ''] = createSecretBox([NEW_KEY, ENCRYPTION_KEY]).olderKeyIds;
const MARK = `sealed:v1:${oldKeyId}:`;

let agent: Agent;
let batch: ScheduledCallBatch;
let call: Awaited<ReturnType<typeof liveCall>>;

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, ['sip', 'retentionPolicy']);
await storeSecretsEverywhere();
afterAll(() => harness.stop());

async function made<T>(path: string, body: unknown): Promise<T> {
  const response = await account.post<T>(path, body);
  if (response.status !== 201)
    throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
  return response.body;
}

async function storeSecretsEverywhere(): Promise<void> {
  await account.send('PATCH', '/api/accounts/me/tts_api_keys', { provider1: SECRET });
  await made('/api/telephony_configs/telephony1', { accountSid: 'AC1', authToken: SECRET });
  await account.send('PATCH', '/api/sip', { fallbackHandler: hook });
  const registration = { username: 'reception', password: SECRET, proxy: 'sip.example.com' };
  await made('/api/sip/registrations', registration);
  await made('/api/sip/trunks', { name: 'Line', username: 'reception', password: SECRET });
  await made('/api/webhooks', { ...hook, events: ['call.ended'] });
  const definition = { generic: { url: 'https://voices.example.com/a', headers: HEADERS } };
  await made<Voice>('/api/voices', { name: 'own', definition });
  const dataConnection = { websocketUrl: 'wss://data.test', headers: HEADERS };
  agent = await made('/api/agents', {
    name: 'Ada',
    callTemplate: { medium: SERVER_WEB_SOCKET, dataConnection },
  });
  const sip = { sip: { outgoing: { to: 'sip:a@example.com', from: 'b', password: SECRET } } };
  const batches = `/api/agents/${agent.agentId}/scheduled_batches`;
  const webhook = { webhookUrl: hook.url, webhookSecret: SECRET };
  // More rows than one batch.
  const calls = Array.from({ length: 230 }, () => ({ medium: sip }));
  batch = await made(batches, { paused: true, calls, ...webhook });

  call = await copyOutbox(harness, () =>
    liveCall(harness, account, {
      dataConnection,
      retentionPolicy: 'CALL_RETENTION_POLICY_ZDR',
      initialMessages: [{ role: 'MESSAGE_ROLE_USER', text: 'Before' }],
      selectedTools: [{ temporaryTool: crm, authTokens: { token: SECRET } }],
    }),
  );
  await harness.query(`insert into outbox (outbox_id, topic, payload, due_at)
    select gen_random_uuid(), topic, payload, now() + interval '1 day' from outbox_copy where topic = 'created_call'`);
  await harness.query('drop table outbox_copy');
  const job = {
    accountId: account.accountId,
    sealedSecrets: [old.seal(SECRET, webhookSecretContext(account.accountId))],
  };
  await harness.query(
    `insert into outbox (outbox_id, topic, payload, due_at) values ($1, 'job', $2, now() + interval '1 day')`,
    newId(),
    JSON.stringify(job),
  );
  await call.resolve({ externalVoice: definition });
  // Pending messages have been published.
  await eventually(async () => {
    const { rows } = await harness.query(`select 1 from outbox where due_at < now() + interval '1 hour'`);
    expect(rows).toEqual([]);
  });
  await harness.query(
    `insert into webhook_deliveries
       (delivery_id, account_id, receiver_id, event, step, url, content, tries_left, give_up_at)
     values ($1, $2, $1, 'call.ended', 0, 'https://example.com/hook', $3, 1, now() + interval '1 day')`,
    newId(),
    account.accountId,
    old.seal(SECRET, webhookSecretContext(account.accountId)),
  );
}

interface Outcome {
  code: number;
  resealed: Record<string, number>;
  left?: Record<string, number>;
  err?: { message: string };
}

function resealSecrets(keys: string, databaseUrl = harness.postgres.url): Promise<Outcome> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, ENCRYPTION_KEY: keys };
  return new Promise((resolve) => {
    execFile(process.execPath, [ENTRY], { env }, (error, stdout) => {
      const outcome = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Omit<Outcome, 'code'>;
      resolve({ ...outcome, code: Number(error?.code ?? 0) });
    });
  });
}

const sealedWithOldKey = () => countRowsWith(harness.store.db, [MARK]);

describe('reseal-secrets', () => {
  it('names the variable of a database that is not available', async () => {
    const outcome = await resealSecrets(NEW_KEY, 'postgres://calls@127.0.0.1:1/calls');
    expect(outcome.code).toBe(1);
    expect(outcome.err?.message).toMatch(/^DATABASE_URL: the database is not available/u);
  });

  it('finds secrets in every table that contains some', async () => {
    const found = await sealedWithOldKey();
    expect([...found.keys()].sort()).toEqual([...SEALED_TABLES].sort());
    expect(found.get('scheduled_calls')).toBe(230);
    expect(found.get('outbox')).toBe(2);
  });

  it('fails and reports secrets that it could not re-encrypt', async () => {
    await harness.query('create table later_release (secret text)');
    await harness.query('insert into later_release values ($1)', old.seal(SECRET));
    const before = await sealedWithOldKey();
    const { code, resealed, left } = await resealSecrets(`${NEW_KEY},${ENCRYPTION_KEY}`);
    before.delete('later_release');
    expect({ code, resealed, left }).toEqual({
      code: 1,
      resealed: Object.fromEntries(before),
      left: { later_release: 1 },
    });
    await harness.query('drop table later_release');
  });

  it('changes nothing on the second run and leaves no secret that requires the old key', async () => {
    expect(await resealSecrets(`${NEW_KEY},${ENCRYPTION_KEY}`)).toMatchObject({ code: 0, resealed: {} });
    expect(await resealSecrets(NEW_KEY)).toMatchObject({ code: 0, resealed: {} });
    expect((await sealedWithOldKey()).size).toBe(0);
  });

  it('produces secrets that services can decrypt without the old key', async () => {
    const url = await harness.addReplica({}, { encryptionKeys: [NEW_KEY] });
    const read = async <T>(path: string): Promise<T> => {
      const response = await account.request<T>(`${url}${path}`);
      expect(response.status).toBe(200);
      return response.body;
    };
    const box = createSecretBox([NEW_KEY]);
    const webhookContext = webhookSecretContext(account.accountId);
    const webhooks = await harness.query('select secrets from webhooks');
    expect(
      webhooks.rows.map(({ secrets }) => (secrets as string[]).map((each) => box.open(each, webhookContext))),
    ).toContainEqual([SECRET]);
    const template = openTemplate(
      box,
      account.accountId,
      (await findAgent(harness.store.db, account.accountId, agent.agentId))!.template!,
    );
    expect(template.dataConnection?.headers).toEqual(HEADERS);
    const batches = await harness.query(
      'select webhook_secret from scheduled_batches where batch_id = $1',
      batch.batchId,
    );
    expect(box.open(String(batches.rows[0]!['webhook_secret']), webhookContext)).toBe(SECRET);
    for (const path of ['/api/webhooks', '/api/sip', `/api/calls/${call.callId}`]) await read(path);
    const { rows } = await harness.query(`select payload from outbox where topic = 'created_call'`);
    const { spec } = openMessage(box, createdCallValidator.parse(rows[0]?.['payload']));
    expect(spec.dataConnection?.headers).toEqual(HEADERS);
    expect(spec.firstStage.initialMessages).toMatchObject([{ text: 'Before' }]);
  });
});

describe('a stepwise rotation of ENCRYPTION_KEY', () => {
  const NEXT_KEY = 'the newest encryption key for tests only';
  const SESSION = '/console/session';
  const JSON_BODY = { 'Content-Type': 'application/json', 'X-Console': '1' };
  let urls: string[];

  beforeAll(async () => {
    const steps = [[NEW_KEY], [NEW_KEY, NEXT_KEY], [NEXT_KEY, NEW_KEY], [NEXT_KEY]];
    urls = await Promise.all(steps.map((encryptionKeys) => harness.addReplica({}, { encryptionKeys })));
  });

  /** Status of a request with a JSON body. */
  async function statusOf(method: string, url: string, body: unknown): Promise<number> {
    const { status } = await account.request(url, { method, headers: JSON_BODY, body: JSON.stringify(body) });
    return status;
  }

  /** The cookie of a new console session. */
  async function signIn(url: string, apiKey: string): Promise<{ Cookie: string }> {
    const body = JSON.stringify({ apiKey });
    const response = await fetch(`${url}${SESSION}`, { method: 'POST', headers: JSON_BODY, body });
    expect(response.status).toBe(200);
    return { Cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  }

  async function hasSession(url: string, cookie: { Cookie: string }): Promise<boolean> {
    const response = await fetch(`${url}${SESSION}`, { headers: { ...cookie, 'X-Console': '1' } });
    return (await response.json()) !== null;
  }

  it('lets control-planes at consecutive steps decrypt what the other stored', async () => {
    const externalVoice = { provider1: { voiceId: 'v1' } };
    for (const [index, after] of urls.entries()) {
      const before = urls[index - 1];
      if (before === undefined) continue;
      if (index === urls.length - 1)
        expect(await resealSecrets(`${NEXT_KEY},${NEW_KEY}`)).toMatchObject({ code: 0 });
      for (const [writer, reader] of [
        [before, after],
        [after, before],
      ] as const) {
        const keys = `${writer}/api/accounts/me/tts_api_keys`;
        expect(await statusOf('PATCH', keys, { provider1: SECRET })).toBe(200);
        const call = { medium: SERVER_WEB_SOCKET, externalVoice };
        expect([index, await statusOf('POST', `${reader}/api/calls`, call)]).toEqual([index, 201]);
        expect(await hasSession(reader, await signIn(writer, account.key))).toBe(true);
      }
      expect(await statusOf('POST', `${after}/api/agents/${agent.agentId}/calls`, {})).toBe(201);
    }
  });

  it('leaves no secret that requires the removed key', async () => {
    expect(await resealSecrets(NEXT_KEY)).toMatchObject({ code: 0, resealed: {} });
    const [old = ''] = urls;
    expect(await statusOf('POST', `${old}/api/agents/${agent.agentId}/calls`, {})).not.toBe(201);
  });

  it('does not revive a revoked API key or its console sessions at any control-plane', async () => {
    const [url = '', other = ''] = urls.slice(-2);
    const key = await made<{ secret: string; prefix: string }>('/api/api_keys', { name: 'stolen' });
    const cookie = await signIn(url, key.secret);
    expect(await hasSession(other, cookie)).toBe(true);
    expect(await statusOf('PATCH', `${url}/api/api_keys/${key.prefix}`, { revoked: true })).toBe(200);
    expect(await hasSession(url, cookie)).toBe(false);
    // Others remember a key for a few seconds.
    await eventually(async () => expect(await hasSession(other, cookie)).toBe(false));
  });
});

describe('a JOIN_TOKEN_SECRET rotation', () => {
  it('leaves existing tokens valid while the old secret is listed', async () => {
    const newer = 'a newer secret for tests only';
    const batches = `/api/agents/${agent.agentId}/scheduled_batches/${batch.batchId}/scheduled_calls`;
    const { next } = await account.list(`${batches}?pageSize=1`);
    const { pathname, search } = new URL(next!);
    const answerOf = async (joinTokenSecrets: string[]): Promise<number> => {
      const url = await harness.addReplica({}, { joinTokenSecrets });
      return (await account.request(`${url}${pathname}${search}`)).status;
    };
    expect(await answerOf([newer, ...JOIN_TOKEN_SECRETS])).toBe(200);
    expect(await answerOf([newer])).toBe(400);
  });
});
