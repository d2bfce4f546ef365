import { afterAll, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { ApiError } from '@calls/api-contract/rest/common';
import type { ChangedScheduledCallBatch, ScheduledCallBatch } from '@calls/api-contract/rest/scheduled-batch';
import { newId } from '@calls/foundation/ids';
import {
  ControlPlaneHarness,
  type ApiResponse,
  type TestAccount,
} from '../../support/control-plane-harness.ts';
import { LIFTED_LIMITS } from '../../support/lifted-limits.ts';

const medium = { serverWebSocket: { inputSampleRate: 16_000 } };

const planLimits = { ...LIFTED_LIMITS, FREE: { ...LIFTED_LIMITS.FREE, concurrentCalls: 1 } };
const harness = await ControlPlaneHarness.start({ planLimits });
const replicaUrl = await harness.addReplica();
const account = await harness.account('PRO');
afterAll(() => harness.stop());

function create(
  key: string,
  body: object = {},
  { path = '/api/calls', by = account }: { path?: string; by?: TestAccount } = {},
): Promise<ApiResponse<Call & ApiError>> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  return by.request(path, { method: 'POST', headers, body: JSON.stringify({ medium, ...body }) });
}

async function agentId(): Promise<string> {
  return (await account.post<Agent>('/api/agents', { name: 'Ada', callTemplate: { medium } })).body.agentId;
}

async function callsIn(room: string): Promise<string[]> {
  const { results } = await account.list<Call>(`/api/calls?metadata%5Broom%5D=${room}`);
  return results.map(({ callId }) => callId);
}

/** Ids of the calls that wait for a media-worker. */
async function published(): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const delivery = await harness.bus.createdCalls.take('standard', 0, new AbortController().signal);
    if (!delivery) return ids;
    delivery.ack();
    ids.push(delivery.call.spec.callId);
  }
}

it.each(['/api/calls', 'the path of an agent'])(
  'requests to %s with the same Idempotency-Key create one call, which media-workers get once',
  async (named) => {
    const path = named.startsWith('/') ? named : `/api/agents/${await agentId()}/calls`;
    const [key, room] = [newId(), newId()];
    const body = { metadata: { room }, recordingEnabled: true };
    const here = Array.from({ length: 4 }, () => create(key, body, { path }));
    const there = Array.from({ length: 4 }, () => create(key, body, { path: `${replicaUrl}${path}` }));
    const responses = [...(await Promise.all([...here, ...there])), await create(key, body, { path })];
    const call = responses[0]!.body;
    for (const response of responses) expect(response).toMatchObject({ status: 201, body: call });
    expect(await callsIn(room)).toEqual([call.callId]);
    expect((await published()).filter((callId) => callId === call.callId)).toHaveLength(1);
    expect((await create(newId(), body, { path })).body.callId).not.toBe(call.callId);
  },
);

it('an Idempotency-Key that another request used is rejected', async () => {
  const key = newId();
  const { body: call } = await create(key, { temperature: 0.5 });
  const agentPath = `/api/agents/${await agentId()}/calls`;
  const others = [
    await create(key, { temperature: 0.6 }),
    await create(key, { temperature: 0.5 }, { path: '/api/calls?enableGreetingPrompt=false' }),
    await create(key, {}, { path: agentPath }),
  ];
  for (const other of others) {
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_used' } });
  }
  // Spelling does not matter, and accounts do not share keys.
  expect((await create(key, { temperature: 0.5, systemPrompt: null })).body.callId).toBe(call.callId);
  const stranger = await create(key, { temperature: 0.5 }, { by: await harness.account('PRO') });
  expect(stranger.status).toBe(201);
  expect(stranger.body.callId).not.toBe(call.callId);
});

it('an Idempotency-Key is not used by a request that creates no call', async () => {
  const key = newId();
  expect((await create(key, { model: 'unknown' })).status).toBe(400);
  expect((await create(key)).status).toBe(201);
});

it('a repeated request gets its call when the limit of concurrent calls is reached', async () => {
  const by = await harness.account('FREE');
  const key = newId();
  const responses = await Promise.all(Array.from({ length: 3 }, () => create(key, {}, { by })));
  for (const response of responses) expect(response).toMatchObject({ status: 201, body: responses[0]!.body });
  expect(await create(newId(), {}, { by })).toMatchObject({ status: 429, body: { code: 'concurrency' } });
});

it('a repeated request does not create a deleted call again', async () => {
  const key = newId();
  const { callId } = (await create(key)).body;
  await harness.query(
    `update calls set ended_at = now(), end_reason = 'unjoined' where call_id = $1`,
    callId,
  );
  expect((await create(key)).body).toMatchObject({ callId, endReason: 'unjoined' });
  await account.send('DELETE', `/api/calls/${callId}`);
  expect(await create(key)).toMatchObject({ status: 422, body: { code: 'idempotency_key_used' } });
});

it('requests for a scheduled batch with the same Idempotency-Key create one batch, and all get its generated secret', async () => {
  const paths = [await agentId(), await agentId()].map((id) => `/api/agents/${id}/scheduled_batches`);
  const path = paths[0]!;
  const windowStart = new Date(Date.now() + 3_600_000).toISOString();
  const body = { calls: [{}, {}], windowStart, webhookUrl: 'https://example.com/ended' };
  const key = newId();
  const post = (to: string, more: object = {}): Promise<ApiResponse<ChangedScheduledCallBatch & ApiError>> =>
    account.request(to, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify({ ...body, ...more }),
    });
  const responses = await Promise.all([post(path), post(path), post(`${replicaUrl}${path}`)]);
  const batch = responses[0].body;
  for (const response of responses) expect(response).toMatchObject({ status: 201, body: batch });
  expect(batch.webhookSecret).toHaveLength(32);
  expect((await account.list<ScheduledCallBatch>(path)).results).toHaveLength(1);
  for (const other of [await post(path, { paused: true }), await post(paths[1]!)])
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_used' } });
  // Calls have keys of their own.
  expect((await create(key)).status).toBe(201);
});

it('an Idempotency-Key that is empty, too long or has other characters is rejected', async () => {
  const message = 'must be 1 to 255 visible ASCII characters';
  for (const key of ['', 'two words', 'é', 'x'.repeat(256)]) {
    const { status, body } = await create(key);
    expect([status, body.errors]).toEqual([400, [{ path: 'Idempotency-Key', message }]]);
  }
  expect((await create('!~'.padEnd(255, 'x'))).status).toBe(201);
});
