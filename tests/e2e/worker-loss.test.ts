import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallClient } from '@calls/examples/call-client';
import { findFreePorts } from '@calls/local-stack/free-port';
import type { Stack } from '@calls/local-stack/stack';
import { instancesOf } from '@calls/local-stack/stack-size';
import { startAiStandIn, type AiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { IS_LONG_FORM, requireQuick } from '@calls/testkit/long-form';
import { MetricsReading } from '../bench/scrape.ts';
import { DRILL_MEDIA } from '../drill/callers/drill-caller.ts';
import { runRollingRestart } from '../drill/rolling-restart.ts';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestStack } from '../support/start-stack.ts';

const SIZE = { 'control-plane': 1, 'media-worker': 2, dispatcher: 1 };
const DRAIN_LIMIT_MS = 4000;
const HOST = '127.0.0.1';
const RTP_PORTS = 100;
/** Of the rolling restart. `npm run drill` is the same with more calls. */
const DRILL = IS_LONG_FORM
  ? { rounds: 3, calls: 12, services: ['control-plane', 'media-worker', 'dispatcher'] as const }
  : { rounds: 1, calls: 3, services: ['media-worker'] as const };
/** Time from the loss to the next agent message on an idle machine. */
const SPEAKS_AGAIN_MS = 3000;
const WRITTEN = { initialOutputMedium: 'MESSAGE_MEDIUM_TEXT', maxDuration: '300s' };

let standIn: AiStandIn;
let stack: Stack;
let api: Api;

beforeAll(async () => {
  standIn = await startAiStandIn({ sttDelayMs: 50, llmFirstTokenMs: 50, ttsFirstAudioMs: 50 });
  const { baseUrl } = standIn;
  const rtp = await findFreePorts(RTP_PORTS);
  stack = await startTestStack({
    size: SIZE,
    ports: { sipRtp: { first: rtp, last: rtp + RTP_PORTS - 1 } },
    env: {
      STT_BASE_URL: baseUrl,
      LLM_BASE_URL: baseUrl,
      LLM_MODEL: 'stand-in',
      TTS_BASE_URL: baseUrl,
      DRAIN_LIMIT_MS: String(DRAIN_LIMIT_MS),
      MEDIA_CAPACITY: '50',
      RECONNECT_GRACE_MS: '60000',
      ...{ SIP_LISTEN_ADDRESS: HOST, SIP_ADDRESS: HOST, OUTBOUND_ALLOW_PRIVATE: HOST },
    },
  });
  api = new Api(stack);
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
});

/** The media worker whose metric exceeds `floor`, and its value. */
async function workerWith(metric: 'calls_joined' | 'calls_held', floor = 0) {
  const workers = instancesOf(SIZE, stack.ports.metrics).filter(({ service }) => service === 'media-worker');
  return eventually(async () => {
    for (const { name, metricsPort } of workers) {
      const count = (await MetricsReading.of(metricsPort)).value(metric);
      const process = stack.processes.get(name);
      if (process && count > floor) return process;
    }
    throw new Error(`no worker has more than ${floor} ${metric}`);
  });
}

function agentTexts(client: CallClient): string[] {
  return client.transcript.flatMap(({ role, text }) => (role === 'agent' ? [text] : []));
}

/** On a busy machine, a handshake may take longer than the client waits while a call is taken over. */
function join(call: Call): Promise<CallClient> {
  return eventually(() => api.join(call));
}

async function started(client: CallClient): Promise<void> {
  await client.until('the call to start', () => client.messages.length > 0);
}

/** Writes to the agent until it responds, because messages before the failover may be lost. */
async function ask(client: CallClient, text: string): Promise<void> {
  await started(client);
  client.send({ type: 'user_text_message', text });
  await client.until(`an answer to ${text}`, () => agentTexts(client).some((said) => said.includes(text)));
}

/** The model input for this message, excluding summaries of ended calls. */
async function historyAt(question: string): Promise<string> {
  const { recent } = await standIn.requests();
  const asked = recent
    .filter(({ role }) => role === 'llm')
    .map((request) => JSON.stringify(request.asked['history']));
  return asked.findLast((history) => history.includes(question)) ?? '';
}

describe('a lost media worker', () => {
  it('killed: a call fails over with its whole history and has one row, one end, one bill', async () => {
    const { call, client } = await api.startCall(WRITTEN);
    await ask(client, 'my name is Grete');
    const owner = await workerWith('calls_joined');
    await owner.kill();
    const lostMs = client.nowMs;
    const saidBefore = client.messages.length;
    await client.until('the agent to be back', () =>
      client.messages.slice(saidBefore).some(({ message }) => message.type === 'transcript'),
    );
    requireQuick(client.nowMs - lostMs, SPEAKS_AGAIN_MS);
    await ask(client, 'tell me my name');
    expect(await historyAt('tell me my name')).toContain('my name is Grete');
    await owner.start();
    await client.hangUp();
    const ended = await api.endedCall(call.callId);
    expect(ended).toMatchObject({ endReason: 'hangup', billingStatus: 'BILLING_STATUS_BILLED' });
    const users = (await api.messages(call.callId)).filter(({ role }) => role === 'MESSAGE_ROLE_USER');
    expect(users.map(({ text }) => text)).toEqual(['my name is Grete', 'tell me my name']);
  });

  it('killed: calls that were not joined yet can be joined at another worker immediately', async () => {
    const calls = await Promise.all(Array.from({ length: 8 }, () => api.createCall(WRITTEN)));
    const owner = await workerWith('calls_held');
    await owner.kill();
    await Promise.all(
      calls.map(async (call) => {
        const client = await join(call);
        await started(client);
        await client.hangUp();
      }),
    );
    await owner.start();
    for (const { callId } of calls) expect((await api.endedCall(callId)).endReason).toBe('hangup');
  });

  it('draining: its calls continue, new calls go elsewhere, and its clients finally move', async () => {
    const { call, client } = await api.startCall(WRITTEN);
    await ask(client, 'the room is 17');
    const owner = await workerWith('calls_joined');
    const unjoined = await Promise.all(Array.from({ length: 4 }, () => api.createCall(WRITTEN)));
    const stopped = owner.stop();
    const askedMs = performance.now();
    await ask(client, 'are you still there');
    for (const { callId } of unjoined) {
      const other = await join(await api.call(callId));
      await started(other);
      await other.hangUp();
      expect((await api.endedCall(callId)).endReason).toBe('hangup');
    }
    await stopped;
    expect(performance.now() - askedMs).toBeGreaterThan(DRAIN_LIMIT_MS / 2 - 500);
    await client.until('the client to be back', () => client.returns > 0);
    await ask(client, 'which room was it');
    expect(await historyAt('which room was it')).toContain('the room is 17');
    await owner.start();
    await client.hangUp();
    expect((await api.endedCall(call.callId)).endReason).toBe('hangup');
  });

  it('paused: its call fails over and is unaffected when the worker resumes', async () => {
    const { call, client: before } = await api.startCall(WRITTEN);
    await ask(before, 'remember the lake');
    const owner = await workerWith('calls_joined');
    owner.signal('SIGSTOP');
    // The kernel still accepts connections for the paused worker.
    const after = await join(call);
    await ask(after, 'what should you remember');
    expect(await historyAt('what should you remember')).toContain('remember the lake');
    owner.signal('SIGCONT');
    before.send({ type: 'user_text_message', text: 'words of the past' });
    await ask(after, 'all is well');
    await after.hangUp();
    before.cut();
    expect((await api.endedCall(call.callId)).endReason).toBe('hangup');
    const texts = (await api.messages(call.callId)).map(({ text }) => text);
    expect(texts).not.toContain('words of the past');
    expect(texts).toContain('all is well');
  });
});

describe('a rolling restart', () => {
  it('ends no call by WebSocket, WebRTC or SIP, and all conversations continue', async () => {
    const rows = await runRollingRestart(stack, { ...DRILL, media: DRILL_MEDIA }, () => undefined);
    expect(rows.map(({ medium, endedEarly }) => ({ medium, endedEarly }))).toEqual(
      DRILL_MEDIA.map((medium) => ({ medium, endedEarly: 0 })),
    );
    for (const { calls, moves } of rows) expect(moves).toBeGreaterThanOrEqual(calls);
  });
});
