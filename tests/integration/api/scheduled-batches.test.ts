import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { CallThrottle } from '@calls/api-contract/rest/call-throttle';
import type { ApiError, Page } from '@calls/api-contract/rest/common';
import type {
  ChangedScheduledCallBatch,
  ScheduledCall,
  ScheduledCallBatch,
} from '@calls/api-contract/rest/scheduled-batch';
import { newId } from '@calls/foundation/ids';
import { requireQuick } from '@calls/testkit/long-form';
import {
  ControlPlaneHarness,
  type ApiResponse,
  type TestAccount,
} from '../../support/control-plane-harness.ts';

type BatchAnswer = ApiResponse<ScheduledCallBatch & ApiError>;

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
const agent = await agentOf(account, 'You talk to {{name}}.');
const path = pathOf(agent);
afterAll(() => harness.stop());

const HOUR_MS = 3_600_000;
const later = (ms: number): string => new Date(Date.now() + ms).toISOString();
const calls = [{ templateContext: { name: 'Ada' } }];

async function agentOf(owner: TestAccount, systemPrompt: string): Promise<Agent> {
  const callTemplate = { systemPrompt, medium: { serverWebSocket: { inputSampleRate: 16_000 } } };
  const response = await owner.post<Agent>('/api/agents', { name: 'Ada', callTemplate });
  expect(response.status).toBe(201);
  return response.body;
}

function pathOf({ agentId }: Agent): string {
  return `/api/agents/${agentId}/scheduled_batches`;
}

function create(body: object = {}): Promise<BatchAnswer> {
  return account.post(path, { calls, ...body });
}

async function made(body: object = {}): Promise<ScheduledCallBatch> {
  const response = await create(body);
  expect(response).toMatchObject({ status: 201 });
  return response.body;
}

function patch({ batchId }: ScheduledCallBatch, body: object): Promise<BatchAnswer> {
  return account.send('PATCH', `${path}/${batchId}`, body);
}

function issuePaths({ body, status }: ApiResponse<ApiError>): string[] {
  expect(status).toBe(400);
  return (body.errors ?? []).map((issue) => issue.path).sort();
}

function scheduled({ batchId }: ScheduledCallBatch, query = ''): Promise<Page<ScheduledCall>> {
  return account.list(`${path}/${batchId}/scheduled_calls${query}`);
}

describe('a scheduled batch', () => {
  it('is created, read, changed and deleted', async () => {
    const batch = await made({ windowStart: later(HOUR_MS), windowEnd: later(2 * HOUR_MS) });
    expect(batch).toEqual({
      batchId: expect.any(String),
      created: expect.any(String),
      windowStart: expect.any(String),
      windowEnd: expect.any(String),
      throttle: null,
      webhookUrl: null,
      paused: false,
      totalCount: 1,
      completedCount: 0,
      endedAt: null,
    });
    const here = `${path}/${batch.batchId}`;
    expect((await account.request(here)).body).toEqual(batch);

    const windowEnd = later(3 * HOUR_MS);
    expect((await patch(batch, { paused: true, windowEnd })).body).toEqual({
      ...batch,
      paused: true,
      windowEnd,
    });
    expect((await patch(batch, { windowEnd: null, windowStart: null })).body).toMatchObject({
      windowStart: null,
      windowEnd: null,
      paused: true,
    });
    expect((await account.send('DELETE', here)).status).toBe(204);
    expect((await account.request(here)).status).toBe(404);
    expect((await account.send('DELETE', here)).status).toBe(404);
    expect((await patch(batch, { paused: false })).status).toBe(404);
    const { rows } = await harness.query('select 1 from scheduled_calls where batch_id = $1', batch.batchId);
    expect(rows).toEqual([]);
  });

  it('is listed with its agent, newest first', async () => {
    const other = await agentOf(account, 'Another.');
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const response = await account.post<ScheduledCallBatch>(pathOf(other), { calls: [{}] });
      ids.push(response.body.batchId);
    }
    const first = await account.list<ScheduledCallBatch>(`${pathOf(other)}?pageSize=2`);
    expect(first).toMatchObject({ total: 3 });
    const second = await account.list<ScheduledCallBatch>(first.next!);
    expect([...first.results, ...second.results].map(({ batchId }) => batchId)).toEqual(ids.reverse());
  });

  it('requires a window that ends in the future and after it starts', async () => {
    expect(issuePaths(await create({ windowEnd: later(-1000) }))).toEqual(['windowEnd']);
    const backwards = { windowStart: later(2 * HOUR_MS), windowEnd: later(HOUR_MS) };
    expect(issuePaths(await create(backwards))).toEqual(['windowEnd']);
    expect(issuePaths(await create({ windowStart: '2030-06-30T23:59:60Z' }))).toEqual(['windowStart']);
    expect(issuePaths(await create({ windowStart: 'tomorrow' }))).toEqual(['windowStart']);
    const batch = await made({ windowStart: later(HOUR_MS) });
    expect(issuePaths(await patch(batch, { windowEnd: later(HOUR_MS / 2) }))).toEqual(['windowEnd']);
    expect(issuePaths(await patch(batch, { windowEnd: later(-1) }))).toEqual(['windowEnd']);
    expect((await patch(batch, { windowStart: null, windowEnd: later(HOUR_MS / 2) })).status).toBe(200);
  });

  it('can reference a throttle of the account by name or id', async () => {
    const rules = [{ maxCalls: 1, windowSeconds: 1 }];
    const throttle = await account.post<CallThrottle>('/api/call_throttles', { name: 'slow', rules });
    const { throttleId } = throttle.body;
    expect(await made({ throttle: 'slow' })).toMatchObject({ throttle: 'slow' });
    const batch = await made({ throttle: throttleId });
    expect(batch).toMatchObject({ throttle: throttleId });
    expect((await patch(batch, { throttle: null })).body).toMatchObject({ throttle: null });
    expect(issuePaths(await create({ throttle: 'no such' }))).toEqual(['throttle']);
    const stranger = await harness.account();
    const foreign = await stranger.post<CallThrottle>('/api/call_throttles', { name: 'x', rules });
    expect(issuePaths(await patch(batch, { throttle: foreign.body.throttleId }))).toEqual(['throttle']);
  });

  it('signs webhook requests with the given secret or a generated one that is returned once', async () => {
    const webhookUrl = 'https://example.com/batches';
    const webhookSecret = 'a secret of the customer';
    const given = await made({ webhookUrl, webhookSecret });
    expect(given).toMatchObject({ webhookUrl });
    expect(given).not.toHaveProperty('webhookSecret');
    const batch: ChangedScheduledCallBatch = await made({ webhookUrl });
    expect(batch.webhookSecret).toMatch(/^[A-Za-z0-9]{32}$/u);
    expect((await patch(batch, { webhookSecret })).body).not.toHaveProperty('webhookSecret');
    const { rows } = await harness.query(
      'select webhook_secret from scheduled_batches where batch_id = $1',
      batch.batchId,
    );
    expect(rows[0]!['webhook_secret']).toMatch(/^sealed:/u);

    expect(issuePaths(await create({ webhookUrl: 'ftp://example.com/' }))).toEqual(['webhookUrl']);
    expect(issuePaths(await create({ webhookUrl: 'http://10.0.0.1/' }))).toEqual(['webhookUrl']);
    expect(issuePaths(await create({ webhookUrl: `https://example.com/${'x'.repeat(200)}` }))).toEqual([
      'webhookUrl',
    ]);
    expect(issuePaths(await create({ webhookSecret: 'x'.repeat(121) }))).toEqual(['webhookSecret']);
  });

  it('rejects changes of its calls', async () => {
    expect(issuePaths(await patch(await made(), { calls }))).toEqual(['calls']);
  });

  it('cannot be changed after it has ended', async () => {
    const batch = await made();
    await harness.query(
      `update scheduled_batches set completed_count = total_count, ended_at = now() where batch_id = $1`,
      batch.batchId,
    );
    expect(await patch(batch, { paused: true })).toMatchObject({
      status: 409,
      body: { code: 'batch_ended' },
    });
  });

  it('is not accessible to other accounts or through other agents', async () => {
    const batch = await made();
    const stranger = await harness.account();
    const other = await agentOf(account, 'Another.');
    const own = await agentOf(stranger, 'Its own.');
    expect((await stranger.post(path, { calls })).status).toBe(404);
    expect((await stranger.request(path)).status).toBe(404);
    for (const [who, where] of [
      [stranger, path],
      [stranger, pathOf(own)],
      [account, pathOf(other)],
      [account, `/api/agents/${newId()}/scheduled_batches`],
    ] as const) {
      const here = `${where}/${batch.batchId}`;
      for (const there of [here, `${here}/created_calls`, `${here}/scheduled_calls`]) {
        expect((await who.request(there)).status).toBe(404);
      }
      expect((await who.send('PATCH', here, { paused: true })).status).toBe(404);
      expect((await who.send('DELETE', here)).status).toBe(404);
    }
    expect((await account.request(`${path}/not-an-id`)).status).toBe(404);
    expect((await account.request(`${path}/${newId()}`)).status).toBe(404);
  });
});

describe('scheduled calls', () => {
  it('are listed in order with their input and status', async () => {
    const outgoing = { to: 'sip:a@example.com', from: 'b', username: 'u', password: 'a hidden password' };
    const given = [
      { templateContext: { name: 'A' }, metadata: { row: '1' }, experimentalSettings: { x: [1] } },
      { templateContext: { name: 'B' }, medium: { sip: { outgoing } }, metadata: null },
      { templateContext: { name: 'C' }, status: 'SUCCESS', callId: newId(), error: 'x', batchId: 5 },
    ];
    const batch = await made({ windowStart: later(HOUR_MS), calls: given });
    const shown = { status: 'FUTURE', batchId: batch.batchId, callId: null, error: null };
    const { results, total } = await scheduled(batch);
    expect(total).toBe(3);
    const { password, ...withoutPassword } = outgoing;
    expect(results).toEqual([
      { ...shown, ...given[0] },
      {
        ...shown,
        medium: { sip: { outgoing: withoutPassword } },
        metadata: null,
        templateContext: { name: 'B' },
        experimentalSettings: null,
      },
      { ...shown, metadata: null, templateContext: { name: 'C' }, experimentalSettings: null },
    ]);
    const { rows } = await harness.query(
      'select request::text from scheduled_calls where batch_id = $1',
      batch.batchId,
    );
    expect(JSON.stringify(rows)).not.toContain(password);

    expect((await scheduled(batch, '?status=FUTURE&pageSize=2')).results).toHaveLength(2);
    for (const status of ['PENDING', 'SUCCESS', 'EXPIRED', 'ERROR']) {
      expect(await scheduled(batch, `?status=${status}`)).toMatchObject({ results: [], total: 0 });
    }
    await patch(batch, { windowStart: null, paused: true });
    expect(await scheduled(batch, '?status=FUTURE')).toMatchObject({ total: 0 });
    expect(await scheduled(batch, '?status=PENDING')).toMatchObject({ total: 3 });
    const bad = await account.request(`${path}/${batch.batchId}/scheduled_calls?status=LATE`);
    expect(issuePaths(bad)).toEqual(['status']);
  });

  it('are rejected with the parser error when their JSON is malformed', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const { status, body } = await account.request(path, { method: 'POST', headers, body: '{"calls": [}' });
    expect([status, body]).toEqual([
      400,
      {
        code: 'malformed_request',
        detail: expect.stringContaining("The request body is not valid JSON: Unexpected token '}'"),
      },
    ]);
  });

  it('are rejected with the path of every issue', async () => {
    const wrong = [
      { templateContext: { name: 'A' } },
      { templateContext: { names: 'A' } },
      {},
      { templateContext: { name: ['B'] }, metadata: { 'svc.mine': 'x' } },
    ];
    expect(issuePaths(await create({ calls: wrong }))).toEqual([
      'calls.1.templateContext.name',
      'calls.2.templateContext.name',
      'calls.3.metadata.svc.mine',
    ]);
    const malformed = [{ medium: { serverWebSocket: {}, webRtc: {} } }, { metadata: { a: 1 } }, { tempo: 1 }];
    expect(issuePaths(await create({ calls: malformed }))).toEqual([
      'calls.0.medium',
      'calls.0.medium.serverWebSocket.inputSampleRate',
      'calls.1.metadata.a',
      'calls.2.tempo',
    ]);
    expect(issuePaths(await create({ calls: [] }))).toEqual(['calls']);
    expect(issuePaths(await account.post(path, {}))).toEqual(['calls']);
  });

  it('are limited in number, and so are the reported issues', async () => {
    const many = Array.from({ length: 10_001 }, () => calls[0]);
    expect(issuePaths(await create({ calls: many }))).toEqual(['calls']);
    const wrong = await create({ calls: many.slice(0, 10_000).map(() => ({ templateContext: {} })) });
    expect(issuePaths(wrong)).toHaveLength(50);
  });

  it('are stored by the thousand without delaying other requests', async () => {
    const filler = 'x'.repeat(3100);
    const many = Array.from({ length: 10_000 }, (_, i) => ({ templateContext: { name: `${i}`, filler } }));
    const body = JSON.stringify({ calls: many, paused: true });
    expect(body.length).toBeGreaterThan(31_000_000);
    let longestMs = 0;
    let isOver = false;
    const pinging = (async () => {
      while (!isOver) {
        const startMs = performance.now();
        await fetch(`${harness.url}/healthz`).then((response) => response.text());
        longestMs = Math.max(longestMs, performance.now() - startMs);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const startMs = performance.now();
    const answer = await account.request<ScheduledCallBatch>(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    const tookMs = performance.now() - startMs;
    isOver = true;
    await pinging;
    if (process.env['SHOW_TIMES'])
      process.stderr.write(`batch of 32 MiB: ${tookMs} ms, longest wait ${longestMs} ms\n`);
    expect(answer).toMatchObject({ status: 201, body: { totalCount: 10_000 } });
    // A busy machine needs longer for both.
    requireQuick(longestMs, Math.max(2000, tookMs / 3));
    const last = await scheduled(answer.body, '?pageSize=1&status=PENDING');
    expect(last).toMatchObject({ total: 10_000, results: [{ templateContext: { name: '0' } }] });
  });

  it('are rejected before parsing above 32 MiB or with too many JSON elements', async () => {
    const tooLong = await create({ calls: [{ metadata: { x: 'x'.repeat(33 * 1024 * 1024) } }] }).catch(
      () => null,
    );
    // The server may close the connection before the body is sent.
    if (tooLong)
      expect(tooLong).toMatchObject({ status: 413, body: { detail: expect.stringContaining('32 MiB') } });
    const tooMany = await create({
      calls: [{ templateContext: { name: 'x', list: Array.from({ length: 500_000 }, () => 0) } }],
    });
    expect(tooMany).toMatchObject({ status: 413, body: { code: 'too_large' } });
    const elsewhere = await account.post('/api/call_throttles', { name: 'x'.repeat(2 * 1024 * 1024) });
    expect(elsewhere).toMatchObject({ status: 413, body: { detail: expect.stringContaining('1 MiB') } });
  });
});
