import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallClient } from '@calls/examples/call-client';
import { findFreePorts } from '@calls/local-stack/free-port';
import type { SupervisedProcess } from '@calls/local-stack/process/supervised-process';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { IS_LONG_FORM, requireQuick } from '@calls/testkit/long-form';
import { MetricsReading } from '../bench/scrape.ts';
import { DRILL_MEDIA } from '../drill/callers/drill-caller.ts';
import { openTelephoneNetwork } from '../drill/callers/phone-caller.ts';
import { LOSSES } from '../drill/losses/lose-process.ts';
import { runLosses } from '../drill/losses/run-losses.ts';
import { runRollingRestart } from '../drill/rolling-restart.ts';
import { runScale } from '../drill/scale.ts';
import { Api } from '../support/api.ts';
import { openBrowser } from '../support/browser/open-browser.ts';
import { startSdkSite } from '../support/browser/sdk-site.ts';
import { eventually } from '../support/eventually.ts';
import { startTestStack } from '../support/start-stack.ts';
import { mediaWorkers, workerWithClient } from '../support/worker-with-client.ts';

const SIZE = { 'control-plane': 1, 'media-worker': 2, dispatcher: 1 };
const DRAIN_LIMIT_MS = 4000;
const HOST = '127.0.0.1';
const RTP_PORTS = 100;
/** Options of the rolling restart. `npm run drill` runs the same with more calls. */
const DRILL = IS_LONG_FORM
  ? { rounds: 3, calls: 12, services: ['control-plane', 'media-worker', 'dispatcher'] as const }
  : { rounds: 1, calls: 4, services: ['media-worker'] as const };
/** Options of the other drills. By default, one client reconnects (WebSocket) and one is re-invited (SIP). */
const OTHER_DRILLS = IS_LONG_FORM
  ? { rounds: 1, calls: 8, media: DRILL_MEDIA, losses: LOSSES }
  : { rounds: 1, calls: 2, media: ['websocket', 'sip'] as const, losses: ['kill'] as const };
/** A lost worker restarts after this time. */
const DOWN_MS = 2500;
/** Time from the loss to the next agent message on an idle machine. */
const SPEAKS_AGAIN_MS = 3000;
const WRITTEN = { initialOutputMedium: 'MESSAGE_MEDIUM_TEXT', maxDuration: '300s', joinTimeout: '120s' };

const standIn = await startAiStandIn({ sttDelayMs: 50, llmFirstTokenMs: 50, ttsFirstAudioMs: 50 });
const network = await openTelephoneNetwork();
const rtp = await findFreePorts(RTP_PORTS);
const stack = await startTestStack({
  size: SIZE,
  ports: { sipRtp: { first: rtp, last: rtp + RTP_PORTS - 1 } },
  env: {
    ...standIn.engineEnv,
    DRAIN_LIMIT_MS: String(DRAIN_LIMIT_MS),
    MEDIA_CAPACITY: '50',
    RECONNECT_GRACE_MS: '60000',
    ...network.env,
    ...{ SIP_LISTEN_ADDRESS: HOST, SIP_ADDRESS: HOST, OUTBOUND_ALLOW_PRIVATE: HOST },
  },
});
await network.configure(stack);
const api = new Api(stack);
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await network[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
});

/** Creates calls without a client until this worker, which already has a joined call, has admitted one of them. */
async function callsWaitingAt(worker: SupervisedProcess): Promise<Call[]> {
  const calls = await Promise.all(Array.from({ length: 4 }, () => api.createCall(WRITTEN)));
  const instance = mediaWorkers(stack).find(({ name }) => stack.processes.get(name) === worker);
  if (!instance) throw new Error('the worker is not part of the stack');
  await eventually(async () => {
    if ((await MetricsReading.of(instance.metricsPort)).value('calls_held') > 1) return;
    calls.push(await api.createCall(WRITTEN));
    throw new Error('the other worker has all calls');
  });
  return calls;
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

async function joinAndHangUp(call: Call): Promise<void> {
  const client = await join(call);
  await started(client);
  await client.hangUp();
}

/** Writes to the agent, again if the connection was lost before the message arrived. Waits for its response. */
async function ask(client: CallClient, text: string): Promise<void> {
  await started(client);
  let connection: number | null = null;
  const hasArrived = (): boolean =>
    client.transcript.some((said) => said.role === 'user' && said.text === text);
  await client.until(`an answer to ${text}`, () => {
    if (connection !== client.returns && !hasArrived()) {
      connection = client.returns;
      client.send({ type: 'user_text_message', text });
    }
    return agentTexts(client).some((said) => said.includes(text));
  });
}

/** The model input for this message, excluding summaries of ended calls. */
async function historyAt(question: string): Promise<string> {
  const { recent } = await standIn.requests();
  const asked = recent
    .filter(({ role }) => role === 'llm')
    .map((request) => JSON.stringify(request.asked['history']));
  return asked.findLast((history) => history.includes(question)) ?? '';
}

describe('a lost media-worker', () => {
  it('when killed, loses no call: its joined call fails over with the history, unjoined calls can be joined immediately', async () => {
    const { call, client } = await api.startCall(WRITTEN);
    await ask(client, 'my name is Grete');
    const owner = await workerWithClient(stack);
    const unjoined = await callsWaitingAt(owner);
    await owner.kill();
    const lostMs = client.nowMs;
    const saidBefore = client.messages.length;
    const isBack = async (): Promise<void> => {
      await client.until('the agent to be back', () =>
        client.messages.slice(saidBefore).some(({ message }) => message.type === 'transcript'),
      );
      requireQuick(client.nowMs - lostMs, SPEAKS_AGAIN_MS);
    };
    await Promise.all([isBack(), ...unjoined.map(joinAndHangUp)]);
    await ask(client, 'tell me my name');
    expect(await historyAt('tell me my name')).toContain('my name is Grete');
    await owner.start();
    for (const { callId } of unjoined) expect((await api.endedCall(callId)).endReason).toBe('hangup');
    await client.hangUp();
    const ended = await api.endedCall(call.callId);
    expect(ended).toMatchObject({ endReason: 'hangup', billingStatus: 'BILLING_STATUS_BILLED' });
    const users = (await api.messages(call.callId)).filter(({ role }) => role === 'MESSAGE_ROLE_USER');
    expect(users.map(({ text }) => text)).toEqual(['my name is Grete', 'tell me my name']);
  });

  it('when draining, continues its calls, admits no new ones, and finally moves its clients', async () => {
    const { call, client } = await api.startCall(WRITTEN);
    await ask(client, 'the room is 17');
    const owner = await workerWithClient(stack);
    const unjoined = await Promise.all(Array.from({ length: 4 }, () => api.createCall(WRITTEN)));
    const stopped = owner.stop();
    const askedMs = performance.now();
    await ask(client, 'are you still there');
    for (const { callId } of unjoined) {
      await joinAndHangUp(await api.call(callId));
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

  it('when frozen, loses its call to another worker, and does not disturb the call after it resumes', async () => {
    const { call, client } = await api.startCall(WRITTEN);
    await ask(client, 'remember the lake');
    const owner = await workerWithClient(stack);
    owner.signal('SIGSTOP');
    // The kernel still accepts connections for the frozen worker.
    await client.until('the client to be back', () => client.returns > 0);
    await ask(client, 'what should you remember');
    expect(await historyAt('what should you remember')).toContain('remember the lake');
    owner.signal('SIGCONT');
    await ask(client, 'all is well');
    await client.hangUp();
    expect((await api.endedCall(call.callId)).endReason).toBe('hangup');
    const users = (await api.messages(call.callId)).filter(({ role }) => role === 'MESSAGE_ROLE_USER');
    expect(users.map(({ text }) => text)).toEqual([
      'remember the lake',
      'what should you remember',
      'all is well',
    ]);
  });

  it('when frozen while its media server runs, loses the call of a web page to another worker', async () => {
    await using site = await startSdkSite();
    await using browser = await openBrowser(new Int16Array(4800));
    const { page } = browser;
    await page.goto(site.url);
    const { callId, joinUrl } = await api.createCall({ ...WRITTEN, medium: { webRtc: {} } });
    await page.evaluate(`(async () => {
      const { CallSession } = await import('/sdk/calls-client.js');
      globalThis.session = new CallSession();
      globalThis.returns = 0;
      session.addEventListener('reconnected', () => (returns += 1));
      await session.joinCall(${JSON.stringify(joinUrl)});
    })()`);
    const askInPage = async (text: string): Promise<void> => {
      await page.evaluate(`session.sendText('${text}')`);
      await page.waitForFunction(
        `session.transcripts.some(({ role, text }) => role === 'agent' && text.includes('${text}'))`,
      );
    };
    // The page has got a response to its first ping before this one.
    await askInPage('remember the lake');
    const owner = await workerWithClient(stack);
    owner.signal('SIGSTOP');
    await page.waitForFunction('returns > 0');
    owner.signal('SIGCONT');
    await askInPage('all is well');
    await page.evaluate('session.leaveCall()');
    expect((await api.endedCall(callId)).endReason).toBe('hangup');
  });
});

describe('a rolling restart', () => {
  it('ends no call by WebSocket, WebRTC, phone or SIP, and all conversations continue', async () => {
    const options = { ...DRILL, media: DRILL_MEDIA };
    const { rows, problems } = await runRollingRestart({ stack, network }, options, () => undefined);
    expect(problems).toEqual([]);
    expect(rows.map(({ medium, endedEarly }) => ({ medium, endedEarly }))).toEqual(
      DRILL_MEDIA.map((medium) => ({ medium, endedEarly: 0 })),
    );
    for (const { calls, moves } of rows) expect(moves).toBeGreaterThanOrEqual(calls);
  });
});

describe('the drill `kill`', () => {
  it('ends no call when workers are killed, and new calls are admitted or fail with a reason', async () => {
    const options = { ...OTHER_DRILLS, services: ['media-worker'] as const };
    const result = await runLosses(
      { stack, network, nats: null },
      { ...options, downMs: DOWN_MS, startsLost: true },
      () => undefined,
    );
    expect(result.problems).toEqual([]);
    expect(result.rows.map(({ endedEarly }) => endedEarly)).toEqual(options.media.map(() => 0));
    expect(result.losses.map(({ loss }) => loss)).toEqual(
      options.losses.flatMap((loss) => [`${loss} media-worker`, `${loss} media-worker-2`]),
    );
    const created = result.losses.flatMap((loss) => loss.created);
    expect(created.length).toBeGreaterThan(result.losses.length);
    expect(created.filter(({ isAdmitted, reason }) => !isAdmitted && !reason)).toEqual([]);
  });
});

// This drill comes last, because it stops a worker.
describe('the drill `scale`', () => {
  it('scales from one worker to two and back without ending a call', async () => {
    const said: string[] = [];
    const { rows, problems } = await runScale(
      { stack, network },
      OTHER_DRILLS,
      (line) => void said.push(line),
    );
    expect(problems).toEqual([]);
    expect(rows.map(({ endedEarly }) => endedEarly)).toEqual(OTHER_DRILLS.media.map(() => 0));
    const workers = said.map((line) => /(?<count>\d) media-workers/u.exec(line)?.groups?.['count']);
    expect(workers).toEqual(['1', '1', '2', '2', '1']);
  });
});
