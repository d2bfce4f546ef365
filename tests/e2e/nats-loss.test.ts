import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { Api } from '../support/api.ts';
import { askInWriting } from '../support/ask-in-writing.ts';
import { eventually } from '../support/eventually.ts';
import { leaderOf } from '../support/nats-cluster.ts';
import { ScratchServers } from '../support/scratch-servers.ts';
import { startTestStack } from '../support/start-stack.ts';
import { workerWithClient } from '../support/worker-with-client.ts';

const WRITTEN = { initialOutputMedium: 'MESSAGE_MEDIUM_TEXT', maxDuration: '300s' };
const WAITING_CALLS = 4;

const scratch = await ScratchServers.open();
const cluster = await scratch.natsCluster(3);
const standIn = await startAiStandIn();
const stack = await startTestStack({
  size: { 'control-plane': 1, 'media-worker': 2, dispatcher: 1 },
  natsUrl: cluster.url,
  env: {
    ...standIn.engineEnv,
    NATS_REPLICAS: '3',
    // The client does not give up before the limit of the test.
    RECONNECT_GRACE_MS: '120000',
  },
});
const api = new Api(stack);
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
  await scratch.close();
});

/** The stored messages of the user. */
async function written({ callId }: Call): Promise<(string | undefined)[]> {
  const users = (await api.messages(callId)).filter(({ role }) => role === 'MESSAGE_ROLE_USER');
  return users.map(({ text }) => text);
}

/** Creates a call, and retries while it is rejected. Adds each status to `statuses`. */
function createCall(statuses: Set<number>): Promise<Call> {
  return eventually(async () => {
    const { status, body } = await api.request<Call>('POST', '/api/calls', {
      ...WRITTEN,
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
      joinTimeout: '120s',
    });
    statuses.add(status);
    expect(status).toBe(201);
    return body;
  });
}

describe('the loss of one of three NATS servers, and of a media-worker before a new leader is elected', () => {
  it('ends no live call; new calls are served or rejected with 503', async () => {
    const { call, client } = await api.startCall(WRITTEN);
    await askInWriting(client, 'my name is Grete');
    // The worker responds before the message is in the log of the call.
    await eventually(async () => expect(await written(call)).toEqual(['my name is Grete']));
    const owner = await workerWithClient(stack);
    const leader = await eventually(() => leaderOf(cluster, 'KV_call_leases'));
    await leader.kill();
    await owner.kill();

    const statuses = new Set<number>();
    const created = Promise.all(Array.from({ length: WAITING_CALLS }, () => createCall(statuses)));
    await client.until('the client to be back', () => client.returns > 0);
    await askInWriting(client, 'are you still there');
    for (const each of await created) {
      const other = await eventually(() => api.join(each));
      await askInWriting(other, 'good morning');
      await other.hangUp();
      expect((await api.endedCall(each.callId)).endReason).toBe('hangup');
    }
    expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([]);

    await askInWriting(client, 'goodbye');
    await client.hangUp();
    expect((await api.endedCall(call.callId)).endReason).toBe('hangup');
    expect(await written(call)).toEqual(['my name is Grete', 'are you still there', 'goodbye']);
  });
});
