import { afterAll, describe, expect, it } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sealContent, writeDeliveries } from '@calls/call-lifecycle/notifications/write-deliveries';
import { newId } from '@calls/foundation/ids';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import { webhookSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import { migrate } from '@calls/store/migrate';
import { insertAccount } from '@calls/store/tables/accounts';
import type { NewDelivery } from '@calls/store/tables/webhook-deliveries';
import { insertWebhook } from '@calls/store/tables/webhooks';
import { CompiledQuery } from 'kysely';
import { ENCRYPTION_KEY } from '../support/control-plane-harness.ts';
import { forkDispatcher, killDispatchers } from '../support/dispatcher-config.ts';
import { eventually } from '../support/eventually.ts';
import { ScratchServers } from '../support/scratch-servers.ts';
import { openTestStore } from '../support/test-store.ts';

const DELIVERIES = 10_000;
const WRITING_MS = 36_000;
const WRITERS = 4;
const HEALTHY = 10;
const DISPATCHERS = 2;
/** Concurrent deliveries of one process to one receiver. */
const AT_A_TIME = 4;
/** The typical payload size of a call. */
const BODY = JSON.stringify({ event: 'call.started', call: { systemPrompt: 'x'.repeat(1300) } });

/** A customer server that records deliveries and their concurrency. */
class Receiver {
  readonly webhookId = newId();
  readonly received = new Map<string, number>();
  readonly url: string;
  readonly #server: Server;
  #atATime = 0;
  most = 0;

  static async start(answer: (response: ServerResponse, count: number) => void): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Receiver(server, answer);
  }

  private constructor(server: Server, answer: (response: ServerResponse, count: number) => void) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    let count = 0;
    server.on('request', (request, response) => {
      this.#atATime += 1;
      this.most = Math.max(this.most, this.#atATime);
      response.once('close', () => (this.#atATime -= 1));
      const id = String(request.headers['x-svc-delivery-id']);
      this.received.set(id, (this.received.get(id) ?? 0) + 1);
      request.resume().once('end', () => {
        count += 1;
        answer(response, count);
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const accountId = newId();
const secretBox = createSecretBox([ENCRYPTION_KEY]);
const children: ChildProcess[] = [];

const servers = await ScratchServers.open();
const [postgres, redis] = await Promise.all([servers.postgres(), servers.redis()]);
const store = openTestStore(postgres.url, { poolSize: 8 });
await migrate(store.db);
await insertAccount(store.db, {
  accountId,
  name: 'test',
  plan: 'SCALE',
  features: [],
  createdAt: new Date(),
});
const ok = (response: ServerResponse): unknown => response.writeHead(204).end();
const healthy = await Promise.all(Array.from({ length: HEALTHY }, () => Receiver.start(ok)));
const silent = await Receiver.start(() => undefined);
const refusing = await Receiver.start(ok);
refusing.close();
const slow = await Receiver.start((response) => setTimeout(() => ok(response), 2000));
const flapping = await Receiver.start((response, count) =>
  response.writeHead(count % 2 === 0 ? 204 : 500).end(),
);
for (const { webhookId, url } of [...healthy, silent, refusing, slow, flapping]) {
  await insertWebhook(store.db, {
    webhookId,
    accountId,
    agentId: null,
    url,
    events: ['call.started'],
    secrets: [secretBox.seal('a secret of the customer', webhookSecretContext(accountId))],
    createdAt: new Date(),
  });
}
const own = { postgres, redis, objectDirectory: servers.directory };
for (let i = 0; i < DISPATCHERS; i += 1) children.push(forkDispatcher(own, { WEBHOOK_RETRY_MS: '1000' }));
await Promise.all(children.map((child) => once(child, 'message')));

afterAll(killDispatchers);
afterAll(async () => {
  const exits = children.filter(({ exitCode }) => exitCode === null).map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(exits);
  for (const each of [...healthy, silent, slow, flapping]) each.close();
  await store[Symbol.asyncDispose]();
  await servers.close();
});

/** One event for four receivers. In total, each of the ten healthy receivers gets 600 and each of the others 1,000. */
function eventFor(index: number): NewDelivery[] {
  const sick = [silent, refusing, slow, flapping];
  const receivers = Array.from({ length: 4 }, (_, i) => index * 4 + i).map((n) =>
    n % 5 < 3
      ? healthy[(Math.floor(n / 5) * 3 + (n % 5)) % HEALTHY]
      : sick[(Math.floor(n / 5) * 2 + (n % 5)) % 4],
  );
  const callId = newId();
  return receivers.map((receiver) => ({
    deliveryId: newId(),
    accountId,
    receiverId: receiver!.webhookId,
    webhookId: receiver!.webhookId,
    callId,
    event: 'call.started',
    step: 0,
    url: receiver!.url,
    content: sealContent(secretBox, accountId, { body: BODY, secrets: [] }),
  }));
}

/** Each writer publishes its share of the events on schedule. */
async function write(startMs: number, writer: number): Promise<void> {
  for (let index = writer; index < DELIVERIES / 4; index += WRITERS) {
    const earlyMs = startMs + (index * WRITING_MS * 4) / DELIVERIES - performance.now();
    if (earlyMs > 0) await new Promise((resolve) => setTimeout(resolve, earlyMs));
    await store.db.transaction().execute((tx) => writeDeliveries(tx, eventFor(index)));
  }
}

interface DeliveryOutcome {
  webhook_id: string;
  status: string;
  total: number;
  tried: number;
  p50: number | null;
  p95: number | null;
  most: number | null;
}

async function outcomes(): Promise<Map<string, DeliveryOutcome[]>> {
  const { rows } = await store.db.executeQuery<DeliveryOutcome>(
    CompiledQuery.raw(`
      with timed as (select *, extract(epoch from finished_at - created_at)::float8 * 1000 as ms from webhook_deliveries)
      select webhook_id, status, count(*) as total, count(*) filter (where attempts > 0) as tried,
        percentile_cont(0.5) within group (order by ms) as p50,
        percentile_cont(0.95) within group (order by ms) as p95, max(ms) as most
      from timed group by webhook_id, status`),
  );
  return Map.groupBy(rows, (row) => row.webhook_id);
}

describe('ten thousand webhook deliveries with dead, slow and flapping receivers', () => {
  it('reach healthy receivers once, within a second and without loss', async () => {
    const startMs = performance.now();
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(startMs, writer)));
    await eventually(async () => {
      const all = await outcomes();
      for (const { webhookId } of healthy)
        expect(all.get(webhookId)?.map(({ status }) => status)).toEqual(['delivered']);
    }, 20_000);
    const all = await outcomes();
    const of = (receiver: Receiver) =>
      Object.fromEntries((all.get(receiver.webhookId) ?? []).map((outcome) => [outcome.status, outcome]));

    const delivered = healthy.map((receiver) => of(receiver)['delivered']!);
    expect(delivered.map(({ total }) => total)).toEqual(Array.from({ length: HEALTHY }, () => 600));
    for (const { received } of healthy)
      expect([received.size, Math.max(...received.values())]).toEqual([600, 1]);
    const slowestMs = Math.max(...delivered.map(({ p95 }) => p95 ?? Infinity));
    process.stdout.write(`p95 of the healthy receiver that waits longest: ${Math.round(slowestMs)} ms\n`);
    expect(slowestMs).toBeLessThan(1000);

    expect([...all.values()].flat().reduce((sum, { total }) => sum + total, 0)).toBe(DELIVERIES);
    expect([...all.values()].flat().filter(({ status }) => status === 'dead')).toEqual([]);
    for (const dead of [silent, refusing]) expect(Object.keys(of(dead))).toEqual(['pending']);
    expect(silent.most).toBeLessThanOrEqual(DISPATCHERS * AT_A_TIME);
    expect(slow.most).toBeLessThanOrEqual(DISPATCHERS * AT_A_TIME);
    expect(of(slow)['delivered']!.total).toBeGreaterThan(30);
    expect(of(flapping)['delivered']!.total).toBeGreaterThan(700);
  }, 70_000);
});
