import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import { delay, systemClock } from '@calls/foundation/clock';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { Api } from '../support/api.ts';
import { askInWriting } from '../support/ask-in-writing.ts';
import { eventually } from '../support/eventually.ts';
import {
  allowReplication,
  queryOne,
  severalHosts,
  startPgBouncer,
  startStandby,
} from '../support/postgres-programs.ts';
import { ScratchServers } from '../support/scratch-servers.ts';
import { startTestStack } from '../support/start-stack.ts';

const WRITTEN = { initialOutputMedium: 'MESSAGE_MEDIUM_TEXT', maxDuration: '600s' };
const REFUSED = 5;
const CREATORS = 4;
const CREATION_PAUSE_MS = 100;

const open = new AsyncDisposableStack();

const scratch = await ScratchServers.open();
open.defer(() => scratch.close());
const redis = await scratch.redisSentinelGroup({ replicas: 2, sentinels: 3 });
const primary = await scratch.postgres();
await allowReplication(scratch, primary);
const standby = open.use(await startStandby(primary.url));
// Synchronous replication: an acknowledged commit is on both servers.
await queryOne(primary.url, `alter system set synchronous_standby_names = '*'`);
await queryOne(primary.url, 'select pg_reload_conf()');
// The standby comes first, so that the services have to look for the primary.
const pgBouncers = [open.use(await startPgBouncer(standby.url)), open.use(await startPgBouncer(primary.url))];
const { engineEnv } = open.use(await startAiStandIn());
const stack = await startTestStack({
  databaseUrl: severalHosts(pgBouncers.map(({ url }) => url)),
  redisUrl: redis.url,
  env: {
    ...engineEnv,
    // The default.
    DATABASE_QUERY_LIMIT_MS: '4000',
  },
});
open.use(stack);
const api = new Api(stack);
afterAll(() => open.disposeAsync());

/** Retries until a call is created. Adds the status of each rejection to `refusals`. */
function createCall(refusals: number[] = [], joinTimeout = '300s'): Promise<Call> {
  return eventually(async () => {
    const { status, headers, body } = await api.request<Call>('POST', '/api/calls', {
      ...WRITTEN,
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
      joinTimeout,
    });
    if (status !== 201) refusals.push(status);
    if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(status).toBe(201);
    return body;
  });
}

/** Creates calls one after the other until it is disposed. */
class CallCreation implements AsyncDisposable {
  readonly created: Call[] = [];
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor() {
    this.#done = this.#create();
  }

  async #create(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // With a short join timeout, workers soon have free slots again.
      this.created.push(await createCall([], '1s'));
      await delay(systemClock, CREATION_PAUSE_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }
}

async function readiness(): Promise<number> {
  return (await fetch(new URL('/readyz', stack.apiUrl))).status;
}

describe('a failover', () => {
  it('of Redis by Sentinel ends no call and rejects no new call', async () => {
    const { call, client } = await api.startCall(WRITTEN);
    await askInWriting(client, 'my name is Grete');
    await redis.servers[0]!.kill();
    const refusals: number[] = [];
    const created = [await createCall(refusals)];
    await askInWriting(client, 'are you still there');
    await eventually(async () => expect(await readiness()).toBe(200));
    created.push(await createCall(refusals));
    expect(refusals).toEqual([]);
    await client.hangUp();
    // Summarized by a job of the queue, which has a new Redis master.
    await eventually(async () => expect((await api.call(call.callId)).summary).not.toBeNull());
    for (const each of created) expect((await api.call(each.callId)).callId).toBe(each.callId);
  });

  it('of PostgreSQL ends no call, loses no created call, and rejects new calls with 503 until it is over', async () => {
    const { call, client } = await api.startCall(WRITTEN);
    await askInWriting(client, 'my name is Grete');
    await using load = new AsyncDisposableStack();
    const creators = Array.from({ length: CREATORS }, () => load.use(new CallCreation()));
    const created = [await createCall()];
    await primary.kill();
    const refusals: number[] = [];
    const waiting = createCall(refusals);
    await eventually(() => expect(refusals.length).toBeGreaterThanOrEqual(REFUSED));
    expect(await readiness()).toBe(503);
    await askInWriting(client, 'are you still there');
    await queryOne(standby.url, 'select pg_promote()');
    const next = await createCall();
    created.push(await waiting, next);
    expect(refusals.filter((status) => status !== 503)).toEqual([]);
    await eventually(async () => expect(await readiness()).toBe(200));
    await load.disposeAsync();
    created.push(...creators.flatMap((creator) => creator.created));
    for (const each of created) expect((await api.call(each.callId)).callId).toBe(each.callId);
    const joined = await api.join(next);
    await askInWriting(joined, 'good morning');
    await joined.hangUp();
    await askInWriting(client, 'goodbye');
    await client.hangUp();
    expect((await api.endedCall(call.callId)).endReason).toBe('hangup');
    const users = (await api.messages(call.callId)).filter(({ role }) => role === 'MESSAGE_ROLE_USER');
    expect(users.map(({ text }) => text)).toEqual(['my name is Grete', 'are you still there', 'goodbye']);
  });
});
