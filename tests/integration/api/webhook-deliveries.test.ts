import { afterAll, describe, expect, it } from '@jest/globals';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { Webhook } from '@calls/api-contract/rest/webhook';
import type { WebhookDelivery, WebhookDeliveryDetails } from '@calls/api-contract/rest/webhook-delivery';
import { openContent } from '@calls/call-lifecycle/notifications/write-deliveries';
import { newId } from '@calls/foundation/ids';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import {
  expireDeliveries,
  claimDeliveries,
  markDelivered,
  markFailed,
  pruneDeliveries,
} from '@calls/store/tables/delivery-runs';
import { endedEntry } from '@calls/testkit/ended-entry';
import {
  ControlPlaneHarness,
  ENCRYPTION_KEY,
  type TestAccount,
} from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

const ALL_EVENTS = ['call.started', 'call.joined', 'call.ended', 'call.billed'];
const HOOK = 'https://example.com/hook';
const CALLBACK = 'https://callbacks.example.com';
const PATH = '/api/webhook_deliveries';

const harness = await ControlPlaneHarness.start();
afterAll(() => harness.stop());

const callbacks = Object.fromEntries(
  ['joined', 'ended', 'billed'].map((hook) => [
    hook,
    { url: `${CALLBACK}/${hook}`, secrets: ['a secret of the callback'] },
  ]),
);

async function webhookOf(
  account: TestAccount,
  events: string[],
  agentId: string | null = null,
): Promise<Webhook> {
  const response = await account.post<Webhook>('/api/webhooks', { url: HOOK, events, agentId });
  expect(response.status).toBe(201);
  return response.body;
}

describe('a test of a webhook', () => {
  it('is delivered to it alone, with its content until it is acknowledged', async () => {
    const account = await harness.account();
    const { webhookId } = await webhookOf(account, ['call.billed']);
    await webhookOf(account, ['call.billed']);
    const path = `/api/webhooks/${webhookId}/test`;
    const test = await account.post<WebhookDelivery>(path, {});
    expect(test).toMatchObject({
      status: 201,
      body: { webhookId, callId: null, event: 'webhook.test', url: HOOK, status: 'pending', attempts: 0 },
    });
    const { deliveryId } = test.body;
    expect(await deliveriesOf(account)).toEqual([test.body]);
    const content = async (): Promise<unknown> =>
      (await account.request<WebhookDeliveryDetails>(`${PATH}/${deliveryId}`)).body.payload;
    expect(await content()).toBe(JSON.stringify({ event: 'webhook.test', webhookId }));
    await markDelivered(harness.store.db, deliveryId);
    expect(await content()).toBeNull();
    const stranger = await harness.account();
    expect((await stranger.post(path, {})).status).toBe(404);
    expect(await account.post(path, {})).toMatchObject({ status: 201 });
  });
});

/** Deliveries in the order in which they were created. */
async function deliveriesOf(account: TestAccount, query = ''): Promise<WebhookDelivery[]> {
  const { results } = await account.list<WebhookDelivery>(`${PATH}?pageSize=100${query}`);
  return results.reverse();
}

const deliveredEvents = async (account: TestAccount, { callId }: Call): Promise<string[]> =>
  (await deliveriesOf(account, `&callId=${callId}`)).map(
    ({ event, url }) => `${event} → ${url.slice('https://'.length)}`,
  );

/** The payload of a delivery and the secrets stored with it. */
async function contentOf({ deliveryId }: WebhookDelivery) {
  const { rows } = await harness.query(
    'select account_id, content from webhook_deliveries where delivery_id = $1',
    deliveryId,
  );
  const { body, secrets } = openContent(
    createSecretBox([ENCRYPTION_KEY]),
    String(rows[0]!['account_id']),
    String(rows[0]!['content']),
  );
  return { payload: JSON.parse(body) as { event: string; call: Call }, body, secrets };
}

const ended = (joinedAtMs: number | null): CallLogEntryBody =>
  endedEntry({ endReason: joinedAtMs === null ? 'unjoined' : 'hangup', joinedAtMs });
const joined: CallLogEntryBody = { type: 'joined', clientVersion: null, workerId: 'a worker' };

/** Publishes the entries in order and waits until they have taken effect. */
async function happen(
  account: TestAccount,
  call: Call,
  ...events: [number, CallLogEntryBody][]
): Promise<void> {
  const event = harness.eventsOf(call, account.accountId);
  for (const [seq, body] of events) {
    await harness.bus.callLogs.append(event(seq, body));
    await eventually(async () => {
      const { rows } = await harness.query(
        'select 1 from call_event_log where call_id = $1 and seq = $2',
        call.callId,
        seq,
      );
      expect(rows).toHaveLength(1);
    });
  }
}

describe('a call event', () => {
  it('creates deliveries with the call for its callbacks and for subscribed webhooks', async () => {
    const account = await harness.account();
    await webhookOf(account, ALL_EVENTS);
    await webhookOf(account, ['call.billed']);
    const call = await account.createCall({ callbacks, metadata: { order: '17' } });
    const [started] = await deliveriesOf(account);
    expect(started).toMatchObject({
      event: 'call.started',
      url: HOOK,
      callId: call.callId,
      status: 'pending',
    });
    const { payload, secrets } = await contentOf(started!);
    expect(payload).toEqual({ event: 'call.started', call });
    expect(secrets).toEqual([]);

    await happen(account, call, [1, joined], [2, ended(Date.now() - 8000)]);
    const shown = await account.call(call.callId);
    expect(await deliveredEvents(account, call)).toEqual([
      'call.started → example.com/hook',
      'call.joined → callbacks.example.com/joined',
      'call.joined → example.com/hook',
      'call.ended → callbacks.example.com/ended',
      'call.ended → example.com/hook',
      'call.billed → callbacks.example.com/billed',
      'call.billed → example.com/hook',
      'call.billed → example.com/hook',
    ]);
    const all = await deliveriesOf(account);
    const atJoin = await contentOf(all[1]!);
    expect(atJoin.payload.call).toEqual({
      ...shown,
      ...{ ended: null, endReason: null, billedDuration: null, billingStatus: 'BILLING_STATUS_PENDING' },
      ...{ billedSideInputTokens: null, billedSideOutputTokens: null },
    });
    expect(atJoin.secrets).toEqual(['a secret of the callback']);
    for (const delivery of all.slice(3)) {
      expect((await contentOf(delivery)).payload).toEqual({ event: delivery.event, call: shown });
    }
  });

  it('creates deliveries once and in order when entries arrive twice or late', async () => {
    const account = await harness.account();
    await webhookOf(account, ALL_EVENTS.slice(1));
    const events = ALL_EVENTS.slice(1).map((event) => `${event} → example.com/hook`);

    const late = await account.createCall();
    await happen(account, late, [2, ended(Date.now() - 8000)], [1, joined], [3, ended(null)]);
    expect(await deliveredEvents(account, late)).toEqual(events);

    const unjoined = await account.createCall();
    await happen(account, unjoined, [1, ended(null)], [2, joined]);
    expect(await deliveredEvents(account, unjoined)).toEqual(events.slice(1));

    const twice = await account.createCall();
    await happen(account, twice, [1, joined], [2, joined], [3, ended(Date.now() - 8000)]);
    expect(await deliveredEvents(account, twice)).toEqual(events);
  });

  it('is delivered to webhooks of its agent and to webhooks of all agents', async () => {
    const account = await harness.account();
    const agentIds = await Promise.all(
      ['Ada', 'Bob'].map(async (name) => {
        const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
        return (await account.post<Agent>('/api/agents', { name, callTemplate: { medium } })).body.agentId;
      }),
    );
    const [everyone, ada] = [
      await webhookOf(account, ['call.started']),
      await webhookOf(account, ['call.started'], agentIds[0]),
    ];
    await webhookOf(account, ['call.ended']);
    const notifiedWebhooks = async (call: Call): Promise<(string | null)[]> =>
      (await deliveriesOf(account, `&callId=${call.callId}`)).map(({ webhookId }) => webhookId);
    const ofAgent = (agentId: string): Promise<Call> =>
      account.post<Call>(`/api/agents/${agentId}/calls`, {}).then(({ body }) => body);
    expect(await notifiedWebhooks(await ofAgent(agentIds[0]!))).toEqual([everyone.webhookId, ada.webhookId]);
    expect(await notifiedWebhooks(await ofAgent(agentIds[1]!))).toEqual([everyone.webhookId]);
    expect(await notifiedWebhooks(await account.createCall())).toEqual([everyone.webhookId]);
  });

  it('is stored atomically with its deliveries', async () => {
    const account = await harness.account();
    await webhookOf(account, ALL_EVENTS);
    await harness.query(
      `alter table webhook_deliveries add constraint none check (account_id <> '${account.accountId}') not valid`,
    );
    const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
    expect((await account.post('/api/calls', { medium })).status).toBe(500);
    expect((await account.list('/api/calls')).total).toBe(0);
    await harness.query('alter table webhook_deliveries drop constraint none');
    expect((await account.post('/api/calls', { medium })).status).toBe(201);
    expect(await deliveriesOf(account)).toHaveLength(1);
  });

  it('is delivered without secrets, and without messages for zero-retention calls', async () => {
    const account = await harness.account('SCALE', null, ['retentionPolicy']);
    await webhookOf(account, ALL_EVENTS);
    const call = await account.createCall({
      callbacks,
      retentionPolicy: 'zdr',
      sharedSecrets: ['a secret that is shared'],
      initialMessages: [{ role: 'MESSAGE_ROLE_USER', text: 'The safe opens with rosebud.' }],
      dataConnection: {
        websocketUrl: 'wss://example.com/data',
        headers: { authorization: 'Bearer of bad news' },
      },
    });
    await happen(account, call, [1, joined], [2, ended(Date.now() - 8000)]);
    const all = await deliveriesOf(account);
    expect(all).toHaveLength(7);
    for (const delivery of all) {
      const { body, payload } = await contentOf(delivery);
      expect(body).not.toMatch(/a secret|rosebud|bad news/u);
      expect(payload.call.dataConnectionConfig).toEqual({ websocketUrl: 'wss://example.com/data' });
    }
    const { rows } = await harness.query('select webhook_deliveries::text as row from webhook_deliveries');
    expect(rows.filter((row) => String(row['row']).includes('token='))).toEqual([]);
  });
});

describe('webhook deliveries', () => {
  it('are listed for their account by state, webhook and call', async () => {
    const account = await harness.account();
    const webhook = await webhookOf(account, ['call.started']);
    const other = await webhookOf(account, ['call.started']);
    const calls = [await account.createCall(), await account.createCall()];
    const all = await deliveriesOf(account);
    expect(all.map(({ callId }) => callId)).toEqual([0, 0, 1, 1].map((i) => calls[i]!.callId));
    const [acknowledged, given, failed] = all;
    const { db } = harness.store;
    await markDelivered(db, acknowledged!.deliveryId);
    await markFailed(db, {
      deliveryId: given!.deliveryId,
      failure: 'the response status was 500',
      nextTryInMs: null,
    });
    await markFailed(db, {
      deliveryId: failed!.deliveryId,
      failure: 'the response status was 502',
      nextTryInMs: 30_000,
    });
    const only = async (query: string) =>
      (await deliveriesOf(account, query)).map((each) =>
        all.findIndex(({ deliveryId }) => deliveryId === each.deliveryId),
      );
    expect(await only('&status=delivered')).toEqual([0]);
    expect(await only('&status=dead')).toEqual([1]);
    expect(await only('&status=pending')).toEqual([2, 3]);
    expect(await only(`&webhookId=${webhook.webhookId}`)).toEqual([0, 2]);
    expect(await only(`&webhookId=${other.webhookId}&callId=${calls[1]!.callId}`)).toEqual([3]);
    const one = async (delivery: WebhookDelivery) =>
      (await account.request<WebhookDeliveryDetails>(`${PATH}/${delivery.deliveryId}`)).body;
    expect(await one(acknowledged!)).toMatchObject({ attempts: 1, lastFailure: null, nextAttempt: null });
    expect(await one(given!)).toMatchObject({
      status: 'dead',
      attempts: 1,
      lastFailure: 'the response status was 500',
    });
    const shown = await one(failed!);
    expect(shown).toMatchObject({ status: 'pending', attempts: 1, finished: null });
    expect(Date.parse(shown.nextAttempt!) - Date.parse(shown.lastAttempt!)).toBe(30_000);

    const page = await account.list<WebhookDelivery>(`${PATH}?pageSize=3`);
    expect([page.total, page.results.length]).toEqual([4, 3]);
    const last = (await account.list<WebhookDelivery>(page.next!)).results[0]!;
    expect({ ...last, payload: null }).toEqual(await one(acknowledged!));
    expect((await account.request(`${PATH}?status=lost`)).status).toBe(400);
    const stranger = await harness.account();
    expect(await deliveriesOf(stranger)).toEqual([]);
    expect((await stranger.request(`${PATH}/${failed!.deliveryId}`)).status).toBe(404);
    expect((await stranger.post(`${PATH}/${failed!.deliveryId}/redeliver`, {})).status).toBe(404);
  });

  it('can be retried immediately when dead or pending but not when acknowledged', async () => {
    const account = await harness.account();
    await webhookOf(account, ['call.started']);
    for (let i = 0; i < 3; i += 1) await account.createCall();
    const [dead, pending, acknowledged] = await deliveriesOf(account);
    const { db } = harness.store;
    await markFailed(db, { deliveryId: dead!.deliveryId, failure: 'no', nextTryInMs: null });
    await markFailed(db, { deliveryId: pending!.deliveryId, failure: 'no', nextTryInMs: 3_600_000 });
    await markDelivered(db, acknowledged!.deliveryId);
    await harness.query(`delete from outbox where topic = 'job'`);
    for (const each of [dead!, pending!]) {
      const response = await account.post<WebhookDelivery>(`${PATH}/${each.deliveryId}/redeliver`, {});
      expect(response).toMatchObject({
        status: 200,
        body: { deliveryId: each.deliveryId, status: 'pending', attempts: 1, finished: null },
      });
      expect(Math.abs(Date.parse(response.body.nextAttempt!) - Date.now())).toBeLessThan(5000);
      const { rows } = await harness.query(
        'select tries_left from webhook_deliveries where delivery_id = $1',
        each.deliveryId,
      );
      expect(rows).toEqual([{ tries_left: 11 }]);
    }
    const { rows } = await harness.query(`select payload->>'kind' as kind from outbox where topic = 'job'`);
    expect(rows).toEqual([{ kind: 'serve_receiver' }, { kind: 'serve_receiver' }]);
    expect(await account.post(`${PATH}/${acknowledged!.deliveryId}/redeliver`, {})).toMatchObject({
      status: 409,
      body: { code: 'already_delivered' },
    });
    expect((await account.post(`${PATH}/${newId()}/redeliver`, {})).status).toBe(404);
  });

  it('are deleted with their webhook but not with their call', async () => {
    const account = await harness.account();
    const webhook = await webhookOf(account, ['call.started']);
    await webhookOf(account, ['call.ended']);
    const call = await account.createCall();
    await happen(account, call, [1, ended(null)]);
    expect((await account.send('DELETE', `/api/calls/${call.callId}`)).status).toBe(204);
    expect(await deliveredEvents(account, call)).toHaveLength(2);
    expect((await account.send('DELETE', `/api/webhooks/${webhook.webhookId}`)).status).toBe(204);
    expect((await deliveriesOf(account)).map(({ event }) => event)).toEqual(['call.ended']);
  });
});

describe('the deliveries of a call', () => {
  it('are claimed one at a time per receiver, each after the previous attempt', async () => {
    const account = await harness.account();
    const hook = { url: CALLBACK };
    const call = await account.createCall({ callbacks: { joined: hook, ended: hook, billed: hook } });
    await happen(account, call, [1, ended(Date.now() - 8000)]);
    const { db } = harness.store;
    const { rows } = await harness.query(
      'select distinct receiver_id from webhook_deliveries where call_id = $1',
      call.callId,
    );
    const hold = (claimMs = 60_000) =>
      claimDeliveries(db, String(rows[0]!['receiver_id']), { limit: 10, claimMs });
    const [first, ...others] = await hold();
    expect([first!.event, others]).toEqual(['call.joined', []]);
    expect(await hold()).toEqual([]);
    const failed = { deliveryId: first!.delivery_id, failure: 'no', nextTryInMs: 3_600_000 };
    expect(await markFailed(db, failed)).toEqual({ isFollowed: true });
    // The process that claimed it was killed, and its time is over.
    const [second, ...later] = await hold(-1);
    expect([second!.event, later]).toEqual(['call.ended', []]);
    const [again] = await hold();
    expect([again!.delivery_id, again!.attempts]).toEqual([second!.delivery_id, 0]);
    expect(await markDelivered(db, second!.delivery_id)).toEqual({ isFollowed: true });
    const [third] = await hold();
    expect(third!.event).toBe('call.billed');
    expect(await markDelivered(db, third!.delivery_id)).toEqual({ isFollowed: false });
    expect(await hold()).toEqual([]);
  });

  it('do not wait for other receivers', async () => {
    const account = await harness.account();
    await webhookOf(account, ALL_EVENTS);
    const call = await account.createCall({ callbacks });
    await happen(account, call, [1, joined]);
    const { rows } = await harness.query(
      'select distinct receiver_id from webhook_deliveries where call_id = $1',
      call.callId,
    );
    const held = await Promise.all(
      rows.map((row) =>
        claimDeliveries(harness.store.db, String(row['receiver_id']), { limit: 10, claimMs: 60_000 }),
      ),
    );
    expect(
      held
        .flat()
        .map(({ event }) => event)
        .sort(),
    ).toEqual(['call.joined', 'call.started']);
  });

  it('expire after waiting too long and are removed some time after completion', async () => {
    const account = await harness.account();
    await webhookOf(account, ['call.started']);
    for (let i = 0; i < 5; i += 1) await account.createCall();
    const { db } = harness.store;
    const [old, delivered, dead, tried] = await deliveriesOf(account);
    await markFailed(db, { deliveryId: tried!.deliveryId, failure: 'refused', nextTryInMs: 60_000 });
    await harness.query(
      `update webhook_deliveries set give_up_at = now() - interval '1 s' where delivery_id in ($1, $2)`,
      old!.deliveryId,
      tried!.deliveryId,
    );
    expect(await expireDeliveries(db, 'too late', 100)).toBe(2);
    await markDelivered(db, delivered!.deliveryId);
    await markFailed(db, { deliveryId: dead!.deliveryId, failure: 'no', nextTryInMs: null });
    const states = async () =>
      (await deliveriesOf(account)).map(({ status, lastFailure }) => [status, lastFailure]);
    expect(await states()).toEqual([
      ['dead', 'too late'],
      ['delivered', null],
      ['dead', 'no'],
      ['dead', 'refused'],
      ['pending', null],
    ]);
    await harness.query(`update webhook_deliveries set finished_at = finished_at - interval '2 hours'`);
    const keep = { deliveredMs: 3_600_000, deadMs: 3 * 3_600_000, limit: 1000 };
    expect(await pruneDeliveries(db, keep)).toBeGreaterThan(0);
    expect((await states()).map(([status]) => status)).toEqual(['dead', 'dead', 'dead', 'pending']);
  });
});

describe('the health of a webhook', () => {
  it('turns unhealthy after five consecutive failures and healthy after one success', async () => {
    const account = await harness.account();
    const { webhookId } = await webhookOf(account, ['call.started']);
    const call = async (): Promise<string> => {
      await account.createCall();
      return (await deliveriesOf(account)).at(-1)!.deliveryId;
    };
    const { db } = harness.store;
    const fail = (deliveryId: string, failure: string): Promise<unknown> =>
      markFailed(db, { deliveryId, failure, nextTryInMs: 30_000 });
    const now = async () => (await account.request<Webhook>(`/api/webhooks/${webhookId}`)).body;
    const first = await call();
    for (let i = 0; i < 4; i += 1) await fail(first, `failure ${i}`);
    expect(await now()).toMatchObject({ status: 'normal', lastStatusChange: null });
    await markDelivered(db, await call());
    const second = await call();
    for (let i = 4; i < 8; i += 1) await fail(second, `failure ${i}`);
    expect(await now()).toMatchObject({ status: 'normal', lastStatusChange: null });
    await fail(first, 'failure 8');
    const unhealthy = await now();
    expect(unhealthy.status).toBe('unhealthy');
    expect(Math.abs(Date.parse(unhealthy.lastStatusChange!) - Date.now())).toBeLessThan(10_000);
    for (let i = 9; i < 15; i += 1) await fail(first, `failure ${i}`);
    const later = await now();
    expect(later.lastStatusChange).toBe(unhealthy.lastStatusChange);
    expect(later.recentFailures.map(({ failure }) => failure)).toEqual(
      Array.from({ length: 10 }, (_, i) => `failure ${i + 5}`),
    );
    expect(
      later.recentFailures.every(({ timestamp }) => Math.abs(Date.parse(timestamp) - Date.now()) < 10_000),
    ).toBe(true);
    await markDelivered(db, second);
    const again = await now();
    expect(again).toMatchObject({ status: 'normal', recentFailures: later.recentFailures });
    expect(again.lastStatusChange).not.toBe(unhealthy.lastStatusChange);
  });

  it('counts every attempt when many end concurrently', async () => {
    const account = await harness.account();
    const { webhookId } = await webhookOf(account, ['call.started']);
    await Promise.all(Array.from({ length: 20 }, () => account.createCall()));
    const { db } = harness.store;
    const all = await deliveriesOf(account);
    await Promise.all(
      all.map(({ deliveryId }) => markFailed(db, { deliveryId, failure: 'no', nextTryInMs: 30_000 })),
    );
    const { rows } = await harness.query(
      'select consecutive_failures from webhooks where webhook_id = $1',
      webhookId,
    );
    expect(rows).toEqual([{ consecutive_failures: 20 }]);
  });
});
