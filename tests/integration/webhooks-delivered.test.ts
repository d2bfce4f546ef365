import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Call } from '@calls/api-contract/rest/call';
import type { Webhook } from '@calls/api-contract/rest/webhook';
import type { WebhookDelivery } from '@calls/api-contract/rest/webhook-delivery';
import type { DispatcherConfig } from '@calls/dispatcher/config';
import { createDispatcher, type Dispatcher } from '@calls/dispatcher/dispatcher';
import { silentLogger } from '@calls/foundation/logger';
import { endedEntry } from '@calls/testkit/ended-entry';
import { ControlPlaneHarness } from '../support/control-plane-harness.ts';
import { dispatcherConfig, forkDispatcher, killDispatchers } from '../support/dispatcher-config.ts';
import { eventually } from '../support/eventually.ts';
import { flushRedis } from '../support/flush-redis.ts';
import { isSignedWith, WebhookReceiver, type ReceivedWebhook } from '../support/webhook-receiver.ts';

const LIMIT_MS = 180_000;
const SECRETS = ['a secret of the customer', 'and a second one of it'];

const dispatchers: Dispatcher[] = [];

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterEach(async () => {
  for (const dispatcher of dispatchers.splice(0)) await dispatcher[Symbol.asyncDispose]();
  for (const { webhookId } of (await account.list<Webhook>('/api/webhooks')).results) {
    await account.send('DELETE', `/api/webhooks/${webhookId}`);
  }
});
afterAll(killDispatchers);
afterAll(() => harness.stop());

async function startDispatcher(overrides: Partial<DispatcherConfig> = {}): Promise<Dispatcher> {
  const config = dispatcherConfig(harness, { firstWebhookRetryMs: 100, ...overrides });
  const dispatcher = await createDispatcher(config, silentLogger);
  dispatchers.push(dispatcher);
  return dispatcher;
}

async function webhookAt(url: string, events = ['call.started']): Promise<Webhook> {
  const response = await account.post<Webhook>('/api/webhooks', { url, events, secrets: SECRETS });
  expect(response.status).toBe(201);
  return response.body;
}

const webhookNow = async ({ webhookId }: Webhook): Promise<Webhook> =>
  (await account.request<Webhook>(`/api/webhooks/${webhookId}`)).body;

const deliveries = async (query: string): Promise<WebhookDelivery[]> =>
  (await account.list<WebhookDelivery>(`/api/webhook_deliveries?${query}`)).results;

/** A joined and ended call. */
async function endedCall(settings: object): Promise<Call> {
  const call = await account.createCall({ ...settings });
  const event = harness.eventsOf(call, account.accountId);
  await harness.bus.callLogs.append(event(1, { type: 'joined', clientVersion: null, workerId: 'a worker' }));
  await harness.bus.callLogs.append(event(2, endedEntry({ joinedAtMs: Date.now() - 8000 })));
  return call;
}

const eventOf = ({ body }: ReceivedWebhook): string => (JSON.parse(body) as { event: string }).event;
const idOf = ({ headers }: ReceivedWebhook): string => String(headers['x-svc-delivery-id']);

describe('callbacks and webhooks', () => {
  it(
    'receive signed events in order',
    async () => {
      await using receiver = await WebhookReceiver.start();
      await using callback = await WebhookReceiver.start();
      const webhook = await webhookAt(receiver.url, [
        'call.started',
        'call.joined',
        'call.ended',
        'call.billed',
      ]);
      const dispatcher = await startDispatcher();
      const hook = { url: callback.url, secrets: SECRETS.slice(0, 1) };
      const call = await endedCall({
        callbacks: { joined: hook, ended: hook, billed: { url: callback.url } },
        sharedSecrets: SECRETS,
      });
      await eventually(() => {
        expect(receiver.received.map(eventOf)).toEqual([
          'call.started',
          'call.joined',
          'call.ended',
          'call.billed',
        ]);
        expect(callback.received.map(eventOf)).toEqual(['call.joined', 'call.ended', 'call.billed']);
      });
      for (const each of receiver.received) {
        expect(isSignedWith(SECRETS, each)).toBe(true);
        expect(isSignedWith(SECRETS.slice(0, 1), each)).toBe(false);
        expect(each.headers['x-svc-call-id']).toBeUndefined();
      }
      const [atJoin, atEnd, atBill] = callback.received;
      expect(isSignedWith(hook.secrets, atJoin!) && isSignedWith(hook.secrets, atEnd!)).toBe(true);
      // This subscriber has no secrets of its own.
      expect(isSignedWith(SECRETS, atBill!)).toBe(true);
      for (const { headers } of callback.received) {
        expect(headers).toMatchObject({
          'content-type': 'application/json',
          'x-svc-call-id': call.callId,
          'x-svc-signature-timestamp': headers['x-svc-webhook-timestamp'],
        });
        expect(headers['x-svc-signature']).toBe(headers['x-svc-webhook-signature']);
      }
      expect(new Set([...receiver.received, ...callback.received].map(idOf)).size).toBe(7);
      await eventually(async () => {
        const all = await deliveries(`callId=${call.callId}`);
        expect(all.map(({ status, attempts }) => [status, attempts])).toEqual(
          Array.from({ length: 7 }, () => ['delivered', 1]),
        );
      });
      const { rows } = await harness.query(
        'select count(content) as stored from webhook_deliveries where webhook_id = $1',
        webhook.webhookId,
      );
      expect(rows).toEqual([{ stored: 0 }]);
      const metrics = await (await fetch(`http://127.0.0.1:${dispatcher.metricsPort}/metrics`)).text();
      expect(metrics).toMatch(
        /calls_callback_deliveries_total\{event="call.billed",outcome="delivered",[^}]*\} 2/u,
      );
      expect(metrics).toMatch(/calls_callback_delivery_ms_count\{[^}]*event="call.joined"\} 2/u);
    },
    LIMIT_MS,
  );

  it(
    'are retried with the same id until accepted, with the webhook unhealthy meanwhile',
    async () => {
      const statuses = [500, 302, 404, 429, 503, 500];
      await using receiver = await WebhookReceiver.start(...statuses);
      receiver.lastStatus = 500;
      const webhook = await webhookAt(receiver.url);
      await startDispatcher();
      await account.createCall();
      await eventually(async () => expect((await webhookNow(webhook)).status).toBe('unhealthy'));
      receiver.lastStatus = 204;
      const well = await eventually(async () => {
        const now = await webhookNow(webhook);
        expect(now.status).toBe('normal');
        return now;
      });
      const rejected = receiver.received.length - 1;
      expect(rejected).toBeGreaterThanOrEqual(statuses.length);
      const answers = Array.from({ length: rejected }, (_, i) => statuses[i] ?? 500);
      expect(well.recentFailures.map(({ failure }) => failure)).toEqual(
        answers.slice(-10).map((status) => `the response status was ${status}`),
      );
      expect(new Set(receiver.received.map(idOf)).size).toBe(1);
      expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
      expect(receiver.received.every((each) => isSignedWith(SECRETS, each))).toBe(true);
      const pausesMs = receiver.received.slice(1).map(({ atMs }, i) => atMs - receiver.received[i]!.atMs);
      for (const [i, pauseMs] of pausesMs.entries()) expect(pauseMs).toBeGreaterThanOrEqual(100 * 2 ** i - 5);
    },
    LIMIT_MS,
  );

  it(
    'are dead after the last attempt and are delivered when redelivery is requested',
    async () => {
      await using receiver = await WebhookReceiver.start(500);
      const webhook = await webhookAt(receiver.url);
      await account.createCall();
      await harness.query(
        'update webhook_deliveries set tries_left = 1 where webhook_id = $1',
        webhook.webhookId,
      );
      await startDispatcher();
      const query = `status=dead&webhookId=${webhook.webhookId}`;
      const [dead] = await eventually(async () => {
        const all = await deliveries(query);
        expect(all).toHaveLength(1);
        return all;
      });
      expect(dead).toMatchObject({
        attempts: 1,
        lastFailure: 'the response status was 500',
        nextAttempt: null,
      });
      await account.post(`/api/webhook_deliveries/${dead!.deliveryId}/redeliver`, {});
      await eventually(() => expect(receiver.received).toHaveLength(2));
      expect(receiver.received.map(idOf)).toEqual([dead!.deliveryId, dead!.deliveryId]);
      await eventually(async () => expect(await deliveries(query)).toEqual([]));
    },
    LIMIT_MS,
  );

  it(
    'use the current webhook URL and stop when the webhook is deleted',
    async () => {
      await using old = await WebhookReceiver.start();
      old.lastStatus = 500;
      await using receiver = await WebhookReceiver.start();
      const webhook = await webhookAt(old.url);
      await startDispatcher({ firstWebhookRetryMs: 300 });
      await account.createCall();
      await eventually(() => expect(old.received.length).toBeGreaterThan(0));
      const secrets = ['a secret that is new'];
      await account.send('PATCH', `/api/webhooks/${webhook.webhookId}`, { url: receiver.url, secrets });
      await eventually(() => expect(receiver.received).toHaveLength(1));
      expect(isSignedWith(secrets, receiver.received[0]!)).toBe(true);
      expect(idOf(receiver.received[0]!)).toBe(idOf(old.received[0]!));
      const tried = old.received.length;
      const gone = await webhookAt(old.url);
      await account.createCall();
      await eventually(() => expect(old.received.length).toBeGreaterThan(tried));
      await account.send('DELETE', `/api/webhooks/${gone.webhookId}`);
      const { rows } = await harness.query(
        'select count(*) as left from webhook_deliveries where webhook_id = $1',
        gone.webhookId,
      );
      expect(rows).toEqual([{ left: 0 }]);
    },
    LIMIT_MS,
  );

  it(
    'are dead immediately when the address is forbidden',
    async () => {
      const webhook = await webhookAt('https://example.com/hook');
      await harness.query(
        `update webhooks set url = 'http://10.0.0.1/' where webhook_id = $1`,
        webhook.webhookId,
      );
      await account.createCall();
      await startDispatcher();
      await eventually(async () => {
        expect(await deliveries(`webhookId=${webhook.webhookId}`)).toMatchObject([
          {
            status: 'dead',
            attempts: 1,
            lastFailure: 'the URL leads to a private address; OUTBOUND_ALLOW_PRIVATE can allow it',
          },
        ]);
      });
    },
    LIMIT_MS,
  );
});

describe('webhook deliveries are not lost', () => {
  it(
    'when the delivering dispatcher is killed',
    async () => {
      await using receiver = await WebhookReceiver.start();
      receiver.answerAfterMs = 60_000;
      const webhook = await webhookAt(receiver.url);
      const child = forkDispatcher(harness);
      const call = await account.createCall();
      await eventually(() => expect(receiver.received).toHaveLength(1));
      child.kill('SIGKILL');
      await once(child, 'exit');
      receiver.answerAfterMs = 0;
      expect(await deliveries(`callId=${call.callId}`)).toMatchObject([{ status: 'pending', attempts: 0 }]);
      // Simulate that the hold on the delivery has expired.
      await harness.query(
        'update webhook_deliveries set held_until = now(), due_at = due_at - $2::interval where webhook_id = $1',
        webhook.webhookId,
        '20 s',
      );
      await startDispatcher();
      await eventually(() => expect(receiver.received).toHaveLength(2));
      expect(new Set(receiver.received.map(idOf)).size).toBe(1);
      await eventually(async () =>
        expect(await deliveries(`callId=${call.callId}`)).toMatchObject([
          { status: 'delivered', attempts: 1 },
        ]),
      );
    },
    LIMIT_MS,
  );

  it(
    'when the queue loses all jobs',
    async () => {
      await using receiver = await WebhookReceiver.start(500);
      await webhookAt(receiver.url);
      await startDispatcher({ firstWebhookRetryMs: 1000 });
      await account.createCall();
      await eventually(() => expect(receiver.received).toHaveLength(1));
      await flushRedis(harness.redis.url);
      await eventually(() => expect(receiver.received).toHaveLength(2));
    },
    LIMIT_MS,
  );
});
