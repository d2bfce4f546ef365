import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallThrottle } from '@calls/api-contract/rest/call-throttle';
import type { Page } from '@calls/api-contract/rest/common';
import type { ScheduledCall, ScheduledCallBatch } from '@calls/api-contract/rest/scheduled-batch';
import type { DispatcherConfig } from '@calls/dispatcher/config';
import { createDispatcher, type Dispatcher } from '@calls/dispatcher/dispatcher';
import { silentLogger } from '@calls/foundation/logger';
import { PLAN_LIMITS } from '@calls/redis/rate-limits/plan-limits';
import { endedEntry } from '@calls/testkit/ended-entry';
import { requireQuick } from '@calls/testkit/long-form';
import { ControlPlaneHarness, type TestAccount } from '../support/control-plane-harness.ts';
import { dispatcherConfig, forkDispatcher, killDispatchers } from '../support/dispatcher-config.ts';
import { eventually } from '../support/eventually.ts';
import { isSignedWith, WebhookReceiver } from '../support/webhook-receiver.ts';

const medium = { serverWebSocket: { inputSampleRate: 16_000 } };

const dispatchers: Dispatcher[] = [];

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
const agent = await agentOf(account, {});
afterEach(async () => {
  for (const dispatcher of dispatchers.splice(0)) await dispatcher[Symbol.asyncDispose]();
});
afterAll(killDispatchers);
afterAll(() => harness.stop());

async function startDispatcher(overrides: Partial<DispatcherConfig> = {}): Promise<void> {
  dispatchers.push(await createDispatcher(dispatcherConfig(harness, overrides), silentLogger));
}

async function agentOf(owner: TestAccount, callTemplate: object): Promise<Agent> {
  const response = await owner.post<Agent>('/api/agents', { callTemplate: { medium, ...callTemplate } });
  expect(response.status).toBe(201);
  return response.body;
}

/** A batch of an agent as the API returns it. */
class Batch {
  readonly path: string;
  readonly #owner: TestAccount;

  static async of(owner: TestAccount, { agentId }: Agent, body: object): Promise<Batch> {
    const path = `/api/agents/${agentId}/scheduled_batches`;
    const response = await owner.post<ScheduledCallBatch>(path, body);
    expect(response).toMatchObject({ status: 201 });
    return new Batch(owner, `${path}/${response.body.batchId}`);
  }

  private constructor(owner: TestAccount, path: string) {
    this.#owner = owner;
    this.path = path;
  }

  get id(): string {
    return this.path.slice(-36);
  }

  now(): Promise<ScheduledCallBatch> {
    return this.#owner.get<ScheduledCallBatch>(this.path);
  }

  async change(body: object): Promise<void> {
    expect((await this.#owner.send('PATCH', this.path, body)).status).toBe(200);
  }

  ended(limitMs?: number): Promise<ScheduledCallBatch> {
    return eventually(async () => {
      const batch = await this.now();
      expect(batch.endedAt).not.toBeNull();
      return batch;
    }, limitMs);
  }

  created(): Promise<Call[]> {
    return this.#all<Call>('created_calls');
  }

  scheduled(): Promise<ScheduledCall[]> {
    return this.#all<ScheduledCall>('scheduled_calls');
  }

  async #all<T>(list: string): Promise<T[]> {
    const rows: T[] = [];
    let next: string | null = `${this.path}/${list}?pageSize=100`;
    while (next !== null) {
      const page: Page<T> = await this.#owner.list<T>(next);
      rows.push(...page.results);
      next = page.next;
    }
    return rows;
  }
}

function numbered(count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({ metadata: { n: String(i) } }));
}

/** Checks that each scheduled call created exactly one call and that no other calls exist. */
async function expectEachCreatedOnce(batch: Batch, count: number): Promise<void> {
  const [created, scheduled] = await Promise.all([batch.created(), batch.scheduled()]);
  expect(scheduled.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'SUCCESS'));
  expect(created).toHaveLength(count);
  const numbers = new Map(created.map(({ callId, metadata }) => [callId, metadata['n']]));
  expect(scheduled.map(({ callId }) => numbers.get(callId!))).toEqual(
    Array.from({ length: count }, (_, i) => String(i)),
  );
}

/** Makes every batch due now, as if its dispatcher had died long ago. */
function stealBatches(): AsyncDisposable & { times: () => number } {
  let isOver = false;
  let times = 0;
  const stealing = (async () => {
    while (!isOver) {
      await harness.query(
        'update scheduled_batches set next_at = now() where ended_at is null and not paused',
      );
      times += 1;
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  })();
  return {
    times: () => times,
    async [Symbol.asyncDispose]() {
      isOver = true;
      await stealing;
    },
  };
}

describe('the calls of a batch', () => {
  it('are created at the rate of their throttle by two dispatchers', async () => {
    const rules = [{ maxCalls: 20, windowSeconds: 1 }];
    await account.post('/api/call_throttles', { name: 'twenty a second', rules });
    const of = { throttle: 'twenty a second', calls: numbered(70), paused: true };
    const batch = await Batch.of(account, agent, of);
    await Promise.all([startDispatcher(), startDispatcher()]);
    const startMs = Date.now();
    await batch.change({ paused: false });
    await batch.ended();
    await expectEachCreatedOnce(batch, 70);
    const timesMs = (await batch.created()).map(({ created }) => Date.parse(created)).sort((a, b) => a - b);
    // A call is created after its permit, on a busy machine long after it.
    for (const [i, timeMs] of timesMs.entries()) {
      expect(timeMs - startMs).toBeGreaterThanOrEqual(1000 * Math.floor(i / 20));
    }
    // Takes three seconds on an idle machine.
    requireQuick(timesMs.at(-1)! - timesMs[0]!, 10_000);
  });

  it('are created once when several processes run the batch concurrently', async () => {
    const batch = await Batch.of(account, agent, { calls: numbered(60) });
    await using stealing = stealBatches();
    await Promise.all([startDispatcher(), startDispatcher()]);
    await batch.ended();
    expect(stealing.times()).toBeGreaterThan(20);
    await expectEachCreatedOnce(batch, 60);
  });

  it('are created once when processes are killed during the run', async () => {
    const batch = await Batch.of(account, agent, { calls: numbered(100) });
    for (const target of [15, 45]) {
      const child = forkDispatcher(harness);
      await eventually(async () => expect((await batch.now()).completedCount).toBeGreaterThan(target));
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect((await batch.now()).endedAt).toBeNull();
      await harness.query('update scheduled_batches set next_at = now() where batch_id = $1', batch.id);
    }
    await startDispatcher();
    await batch.ended();
    await expectEachCreatedOnce(batch, 100);
  });

  it('do not wait for calls of larger batches', async () => {
    const large = await Promise.all(
      Array.from({ length: 5 }, () => Batch.of(account, agent, { calls: numbered(60) })),
    );
    const small = await Batch.of(account, agent, { calls: numbered(5) });
    await startDispatcher();
    const endedMs = Date.parse((await small.ended()).endedAt!);
    for (const batch of large) {
      const before = (await batch.created()).filter(({ created }) => Date.parse(created) <= endedMs);
      expect(before.length).toBeLessThan(50);
      await account.send('DELETE', batch.path);
    }
  });

  it('wait for a free slot of the concurrent call limit of the plan', async () => {
    const payer = await harness.account('PAYGO');
    const batch = await Batch.of(payer, await agentOf(payer, {}), { calls: numbered(7) });
    await startDispatcher({
      planLimits: { ...PLAN_LIMITS, PAYGO: { ...PLAN_LIMITS.PAYGO, callCreationPerSecond: 100 } },
    });
    await eventually(async () => expect((await batch.now()).completedCount).toBe(5));
    const [first] = await batch.created();
    const event = harness.eventsOf(first!, payer.accountId);
    await harness.bus.callLogs.append(event(1, endedEntry()));
    await eventually(async () => expect((await batch.now()).completedCount).toBe(6));
    const states = (await batch.scheduled()).map(({ status }) => status);
    expect(states).toEqual([...Array.from({ length: 6 }, () => 'SUCCESS'), 'PENDING']);
  });
});

describe('a running batch', () => {
  it('creates nothing while paused and then continues', async () => {
    const batch = await Batch.of(account, agent, { calls: numbered(100) });
    await startDispatcher();
    await eventually(async () => expect((await batch.now()).completedCount).toBeGreaterThan(10));
    await batch.change({ paused: true });
    const { completedCount } = await batch.now();
    expect(completedCount).toBeLessThan(100);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await batch.now()).completedCount).toBe(completedCount);
    await batch.change({ paused: false });
    await batch.ended();
    await expectEachCreatedOnce(batch, 100);
  });

  it('waits for its window and expires remaining calls after it, even when paused', async () => {
    await startDispatcher();
    const startMs = Date.now() + 1500;
    const window = {
      windowStart: new Date(startMs).toISOString(),
      windowEnd: new Date(startMs + 3_600_000).toISOString(),
    };
    await account.post('/api/call_throttles', {
      name: 'three',
      rules: [{ maxCalls: 3, windowSeconds: 3600 }],
    });
    const slow = await Batch.of(account, agent, { ...window, throttle: 'three', calls: numbered(8) });
    const paused = await Batch.of(account, agent, { ...window, paused: true, calls: numbered(2) });
    await eventually(async () => expect(await slow.created()).toHaveLength(3));
    // The API takes only a window that ends in the future: on a busy machine it may receive this seconds later.
    const windowEnd = new Date(Date.now() + 5000).toISOString();
    await Promise.all([slow.change({ windowEnd }), paused.change({ windowEnd })]);
    expect(await slow.ended()).toMatchObject({ completedCount: 8 });
    expect(
      Math.min(...(await slow.created()).map(({ created }) => Date.parse(created))),
    ).toBeGreaterThanOrEqual(startMs);
    const states = (await slow.scheduled()).map(({ status }) => status);
    expect(states).toEqual([
      ...Array.from({ length: 3 }, () => 'SUCCESS'),
      ...Array.from({ length: 5 }, () => 'EXPIRED'),
    ]);
    await paused.ended();
    expect((await paused.scheduled()).map(({ status, callId }) => [status, callId])).toEqual([
      ['EXPIRED', null],
      ['EXPIRED', null],
    ]);
  });

  it('reports why a call cannot be created and continues with the others', async () => {
    const calls = [
      { metadata: { n: '0' } },
      { medium: { telephony1: { outgoing: { to: '+15550001', from: '+15550002' } } } },
      { medium: { telephony1: {} } },
      { medium: { sip: { outgoing: { to: 'sip:a@example.com', from: 'b', password: 'of the line' } } } },
    ];
    const batch = await Batch.of(account, agent, { calls });
    const gone = await agentOf(account, {});
    const orphan = await Batch.of(account, gone, {
      windowStart: new Date(Date.now() + 500).toISOString(),
      calls: [{}],
    });
    await account.send('DELETE', `/api/agents/${gone.agentId}`);
    const narrowed = await agentOf(account, {});
    const outdated = await Batch.of(account, narrowed, {
      paused: true,
      calls: [{ templateContext: { a: 1 } }],
    });
    const callTemplate = { medium, systemPrompt: 'You talk to {{name}}.' };
    await account.send('PATCH', `/api/agents/${narrowed.agentId}`, { callTemplate });
    await outdated.change({ paused: false });
    await startDispatcher();
    await Promise.all([batch.ended(), outdated.ended()]);
    const rules = [{ maxCalls: 1, windowSeconds: 1 }];
    const throttle = await account.post<CallThrottle>('/api/call_throttles', { name: 'to go', rules });
    const unthrottled = await Batch.of(account, agent, { throttle: 'to go', paused: true, calls: [{}] });
    await account.send('DELETE', `/api/call_throttles/${throttle.body.throttleId}`);
    await unthrottled.change({ paused: false });
    await unthrottled.ended();
    expect(await unthrottled.scheduled()).toMatchObject([
      { status: 'ERROR', error: expect.stringContaining('throttle: must be') },
    ]);
    const shown = await batch.scheduled();
    expect(shown.map(({ status, error }) => [status, error])).toEqual([
      ['SUCCESS', null],
      ['ERROR', expect.stringContaining('needs a configuration of telephony1')],
      ['SUCCESS', null],
      ['ERROR', expect.stringContaining('sip is not enabled')],
    ]);
    expect(await outdated.scheduled()).toMatchObject([
      { status: 'ERROR', error: expect.stringContaining('templateContext.name') },
    ]);
    await eventually(async () => {
      const { rows } = await harness.query(
        'select error from scheduled_calls where batch_id = $1',
        orphan.id,
      );
      expect(rows).toEqual([{ error: 'The agent was deleted.' }]);
    });
  });

  it('leaves its created calls when it is deleted', async () => {
    const batch = await Batch.of(account, agent, { calls: numbered(1) });
    await startDispatcher();
    await batch.ended();
    const [call] = await batch.created();
    expect((await account.send('DELETE', batch.path)).status).toBe(204);
    expect((await account.call(call!.callId)).callId).toBe(call!.callId);
  });
});

describe('the webhook of a batch', () => {
  it('receives a signed end event, which is redelivered after a failure', async () => {
    await using receiver = await WebhookReceiver.start(500, 503);
    const webhookSecret = 'a secret of the customer';
    const batch = await Batch.of(account, agent, {
      webhookUrl: receiver.url,
      webhookSecret,
      calls: numbered(3),
    });
    await startDispatcher({ firstWebhookRetryMs: 300 });
    const ended = await batch.ended();
    await eventually(() => expect(receiver.received).toHaveLength(3));
    for (const each of receiver.received) {
      expect(isSignedWith([webhookSecret], each)).toBe(true);
      expect(isSignedWith(['another secret of theirs'], each)).toBe(false);
      expect(each.headers).toMatchObject({
        'content-type': 'application/json',
        'x-svc-delivery-id': receiver.received[0]!.headers['x-svc-delivery-id'],
        'x-svc-webhook-timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/u),
      });
      expect(JSON.parse(each.body)).toEqual({ event: 'batch.ended', agentId: agent.agentId, batch: ended });
    }
    const [first, second, third] = receiver.received.map(({ atMs }) => atMs);
    expect(second! - first!).toBeGreaterThanOrEqual(300);
    expect(third! - second!).toBeGreaterThanOrEqual(600);
  });
});
