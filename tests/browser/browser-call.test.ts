import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from '@jest/globals';
import { concatSamples, levelDbfs, samplesFromBytes } from '@calls/audio/pcm';
import { WAV_HEADER_BYTES } from '@calls/audio/wav-header';
import type { Call } from '@calls/api-contract/rest/call';
import { findFreePorts } from '@calls/local-stack/free-port';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { speak } from '@calls/testkit/speech/speak';
import { wordErrorRate } from '@calls/foundation/word-error-rate';
import type { Page } from 'playwright-core';
import { Api } from '../support/api.ts';
import { startBreakableProxy } from '../support/browser/breakable-proxy.ts';
import { MICROPHONE_RATE_HZ, openBrowser, PAGE_LIMIT_MS } from '../support/browser/open-browser.ts';
import { probePage } from '../support/browser/page-probe.ts';
import { beeps, firstUtterance } from '../support/browser/sounds.ts';
import { spokenMicrophone } from '../support/browser/spoken-microphone.ts';
import { powerAt } from '../support/tones.ts';
import { startCoturn } from '../support/coturn.ts';
import { eventually } from '../support/eventually.ts';
import { startTestStack, testEnvironment } from '../support/start-stack.ts';
import { openSpeechToText } from '../bench/packet-loss/measure.ts';

const QUESTION = 'what time is the breakfast in the morning';
const INTERRUPTION = 'stop that please';
/** Takes most of a minute to say, because a busy machine needs seconds to interrupt it. */
const LONG_ANSWER =
  'Breakfast is from seven in the morning until half past ten, on the terrace by the sea. There is bread from our own oven, fruit from the garden, and fish that was caught in the night. Children like our pancakes most, and there are twelve kinds of tea. On Sundays there is music until noon, and the cook tells where everything comes from. Guests who leave early find coffee and warm rolls at the reception, at any time of the night. Guests who like to sleep longer have breakfast brought to the room, with flowers and the newspaper of the day.';

const [standIn, coturn] = await Promise.all([startAiStandIn(), startCoturn('127.0.0.1')]);
const turn = `turn:127.0.0.1:${coturn.port}`;
const stack = await startTestStack({
  env: {
    STT_BASE_URL: standIn.baseUrl,
    STT_MODEL: 'stand-in',
    LLM_BASE_URL: standIn.baseUrl,
    LLM_MODEL: 'stand-in',
    OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
    TURN_URLS: `${turn},${turn}?transport=tcp`,
    TURN_SECRET: coturn.secret,
  },
});
const api = new Api(stack);
const example = await startExample();
afterAll(async () => {
  example.process.kill();
  await standIn[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
  await coturn[Symbol.asyncDispose]();
});

/** Runs examples/browser-call.ts as a user does. */
async function startExample(): Promise<{ url: string; process: ChildProcess }> {
  const port = await findFreePorts(1);
  const child = spawn(process.execPath, ['examples/browser-call.ts'], {
    env: {
      ...testEnvironment(),
      API_URL: stack.apiUrl,
      API_KEY: stack.developmentKey,
      EXAMPLE_PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return { url: `http://localhost:${port}`, process: child };
}

function createCall(settings: Record<string, unknown>): Promise<Call> {
  // A busy page joins late.
  return api.createCall({ medium: { webRtc: {} }, joinTimeout: '120s', ...settings });
}

/** Creates the calls of the example with these settings instead of its own. */
async function overrideCalls(page: Page, settings: Record<string, unknown>, mediaPort?: number) {
  const calls: Call[] = [];
  await page.route('**/call', async (route) => {
    const call = await createCall({ recordingEnabled: true, ...settings });
    calls.push(call);
    const joinUrl = new URL(call.joinUrl ?? '');
    if (mediaPort !== undefined) joinUrl.port = String(mediaPort);
    await route.fulfill({ json: { ...call, joinUrl: joinUrl.href } });
  });
  return calls;
}

/** Resolves when the expression holds in the page. */
async function until(page: Page, expression: string, timeout = PAGE_LIMIT_MS): Promise<void> {
  await page
    .waitForFunction(expression, undefined, { timeout, polling: 20 })
    .catch(async (thrown: unknown) => {
      const state = await page.evaluate('JSON.stringify([session.status, session.transcripts])');
      throw new Error(`${expression} does not hold: ${String(state)}`, { cause: thrown });
    });
}

async function say(page: Page, text: string): Promise<void> {
  await page.fill('[name=text]', text);
  await page.press('[name=text]', 'Enter');
}

async function recording(callId: string): Promise<{ user: Int16Array; agent: Int16Array }> {
  const response = await eventually(async () => {
    const found = await fetch(`${stack.apiUrl}/api/calls/${callId}/recording`, {
      headers: { 'x-api-key': stack.developmentKey },
    });
    expect(found.status).toBe(200);
    return found;
  });
  const samples = samplesFromBytes(new Uint8Array(await response.arrayBuffer()).subarray(WAV_HEADER_BYTES));
  const track = (channel: number): Int16Array => samples.filter((_sample, i) => i % 2 === channel);
  return { user: track(0), agent: track(1) };
}

/** About 4 s of speech. */
const SENT_BYTES = 20_000;

const silence = (ms: number): Int16Array => new Int16Array((ms * MICROPHONE_RATE_HZ) / 1000);
const spoken = (voice: string, text: string): Promise<Int16Array> =>
  speak({ engine: 'flite', voice, text, sampleRateHz: MICROPHONE_RATE_HZ });

describe('a call from a web page', () => {
  it('is isolated from concurrent calls of other pages', async () => {
    const tones = [500, 1300];
    const received = await Promise.all(
      tones.map(async (frequencyHz) => {
        await using browser = await openBrowser(beeps(frequencyHz, 120_000));
        const { page } = browser;
        const calls = await overrideCalls(page, {
          firstSpeakerSettings: { user: {} },
          initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
        });
        const probe = await probePage(page);
        await page.goto(example.url);
        await page.click('#call');
        await until(page, `session.status === 'listening'`);
        // Some seconds of the microphone.
        await eventually(async () => {
          const sent = (await probe.transports()).map(({ bytesSent }) => bytesSent);
          expect(Math.max(...sent)).toBeGreaterThan(SENT_BYTES);
        });
        const loudMs = await probe.loudMs();
        await page.click('#call');
        const callId = calls[0]?.callId ?? '';
        await api.endedCall(callId);
        return { loudMs, ...(await recording(callId)) };
      }),
    );
    for (const [i, { loudMs, user, agent }] of received.entries()) {
      const [own, other] = [tones[i] ?? 0, tones[1 - i] ?? 0];
      expect(powerAt(user, own)).toBeGreaterThan(100 * powerAt(user, other));
      expect(levelDbfs(agent)).toBeLessThan(-90);
      expect(loudMs).toBe(0);
    }
  });

  it('works over TURN only, by UDP and by TCP', async () => {
    await standIn.control({ stt: { replies: [QUESTION] }, llm: { replies: [LONG_ANSWER] } });
    // A busy machine may join after the first question.
    const question = concatSamples([silence(1000), await spoken('slt', QUESTION), silence(5000)]);
    const microphone = concatSamples(Array<Int16Array>(12).fill(question));
    const protocols = ['udp', 'tcp'];
    const calls = protocols.map(async (protocol) => {
      await using browser = await openBrowser(microphone);
      const { page } = browser;
      const probe = await probePage(page);
      await page.addInitScript(onlyTurnOver(protocol));
      await page.goto(example.url);
      const call = await createCall({ firstSpeakerSettings: { user: {} } });
      await page.evaluate(`(async () => {
        const { CallSession } = await import('/sdk/calls-client.js');
        globalThis.session = new CallSession({ iceTransportPolicy: 'relay' });
        await session.joinCall(${JSON.stringify(call.joinUrl)});
      })()`);
      // On a busy machine the microphone may pause in mid-sentence: the question then arrives as two utterances.
      await until(
        page,
        `session.transcripts[0]?.text.startsWith(${JSON.stringify(QUESTION)}) && probe.loudMs() > 500`,
      );
      const transports = await probe.transports();
      await page.evaluate('session.leaveCall()');
      return transports.map(({ candidateType, relayProtocol }) => [candidateType, relayProtocol]);
    });
    expect(await Promise.all(calls)).toEqual(
      protocols.map((protocol) => [
        ['relay', protocol],
        ['relay', protocol],
      ]),
    );
  });

  it('supports speech, interruption, a client tool and text, and survives a disconnection', async () => {
    const calledFor = (colour: string) => ({ toolCalls: [{ name: 'setColour', arguments: { colour } }] });
    await standIn.control({
      stt: { replies: [QUESTION] },
      llm: {
        rules: [
          { last: 'user', contains: 'breakfast', reply: LONG_ANSWER },
          { last: 'user', contains: 'green', reply: calledFor('green') },
          { last: 'tool', contains: 'green', reply: 'It is green now.' },
          { last: 'user', contains: 'writing', reply: 'As you like.' },
          { last: 'user', contains: 'still there', reply: 'I am here.' },
        ],
        replies: ['All right.'],
      },
    });
    await using browser = await openBrowser(silence(100));
    const { page, errors } = browser;
    const speaks = await spokenMicrophone(page);
    await using proxy = await startBreakableProxy(
      Number(new URL((await api.createCall({ medium: { webRtc: {} } })).joinUrl ?? '').port),
    );
    const calls = await overrideCalls(
      page,
      {
        firstSpeakerSettings: { user: {} },
        selectedTools: [setColour],
      },
      proxy.port,
    );
    const probe = await probePage(page);
    await page.goto(example.url);

    await page.click('#call');
    await until(page, `session.status === 'listening'`);
    await speaks(await spoken('slt', QUESTION));
    await until(page, `session.transcripts.some(({ role, isFinal }) => role === 'user' && isFinal)`);
    // Earlier speech would continue the question.
    await until(page, `session.status === 'speaking' && probe.loudMs() > 2500`);
    await standIn.control({ stt: { replies: [INTERRUPTION] } });
    for (const transport of await probe.transports()) {
      expect(transport).toMatchObject({ dtlsState: 'connected', srtpCipher: expect.stringMatching(/AES/u) });
      expect(Math.max(transport.bytesSent, transport.bytesReceived)).toBeGreaterThan(1000);
    }

    // The long response is still playing.
    await speaks(await spoken('rms', INTERRUPTION));
    await until(
      page,
      `session.transcripts.at(-1).text.endsWith('All right.') && session.transcripts.at(-1).isFinal`,
    );
    const turns = await page.evaluate<{ role: string; text: string }[]>('session.transcripts');
    // On a busy machine a filler may precede a slow response.
    const interrupted = turns.findIndex(({ text }) => text.includes(INTERRUPTION));
    const said = turns[interrupted - 1]?.text.replace(/^One moment, please\. ?/u, '') ?? '';
    // Speech with a gap may be two turns.
    expect([turns[0], ...turns.slice(interrupted - 1, interrupted + 1), turns.at(-1)]).toMatchObject([
      { role: 'user', text: expect.stringContaining(QUESTION) },
      { role: 'agent', text: expect.stringContaining(LONG_ANSWER.slice(0, said.length)) },
      { role: 'user' },
      { role: 'agent', text: expect.stringMatching(/^(?:One moment, please\. ?)?All right\.$/u) },
    ]);
    expect(said.length).toBeLessThan(LONG_ANSWER.length * 0.8);
    await until(page, `session.status === 'listening'`);

    const names = async (): Promise<string[]> =>
      (await probe.transports()).map(({ iceLocalUsernameFragment }) => iceLocalUsernameFragment);
    const before = await names();
    await probe.pretend('failed');
    await eventually(async () => expect((await names()).filter((name) => before.includes(name))).toEqual([]));
    await probe.pretend(null);

    await say(page, 'Make the page green.');
    await until(
      page,
      `session.transcripts.at(-1).text.endsWith('It is green now.') && session.status === 'listening'`,
    );
    expect(await page.evaluate('document.body.style.background')).toBe('green');

    await page.evaluate(`session.setOutputMedium('text')`);
    const loudBeforeMs = await probe.loudMs();
    await say(page, 'In writing, please.');
    await until(
      page,
      `session.transcripts.at(-1).text.endsWith('As you like.') && session.transcripts.at(-1).medium === 'text' && session.transcripts.at(-1).isFinal`,
    );

    const shown = await page.evaluate<{ role: string; text: string }[]>('session.transcripts');
    await page.evaluate(
      `globalThis.statuses = []; session.addEventListener('status', ({ detail }) => statuses.push(detail)); 0`,
    );
    proxy.cut();
    await until(page, `statuses.includes('connecting')`);
    await say(page, 'Are you still there?');
    await until(
      page,
      `session.transcripts.at(-1).text.endsWith('I am here.') && session.status === 'listening'`,
    );
    expect((await page.evaluate<unknown[]>('session.transcripts')).slice(0, shown.length)).toEqual(shown);
    expect(proxy.connections).toBeGreaterThanOrEqual(2);
    // Allows for the end of the previous utterance.
    expect(await probe.loudMs()).toBeLessThan(loudBeforeMs + 500);

    await page.click('#call');
    await until(page, `session.status === 'disconnected'`);
    const opened = await probe.opened();
    expect(new Set(opened)).toEqual(new Set(['RTCPeerConnection', 'WebSocket', 'microphone']));
    await until(page, `probe.stillOpen().length === 0`);
    expect(errors).toEqual([]);

    const callId = calls[0]?.callId ?? '';
    const ended = await api.endedCall(callId);
    expect(ended).toMatchObject({ endReason: 'hangup', billingStatus: 'BILLING_STATUS_BILLED' });
    expect(ended.clientVersion).toMatch(/^browser-call example calls-client\//u);
    const final = await page.evaluate<{ role: string; text: string }[]>('session.transcripts');
    const messages = await api.messages(callId);
    const stored = messages.filter(
      ({ role }) => role === 'MESSAGE_ROLE_USER' || role === 'MESSAGE_ROLE_AGENT',
    );
    expect(stored.map(({ text }) => text)).toEqual(final.map(({ text }) => text));
    const [toolResult] = messages.filter(({ role }) => role === 'MESSAGE_ROLE_TOOL_RESULT');
    expect(toolResult?.text).toBe('The page is green now.');
    const { user, agent } = await recording(callId);
    await using stt = openSpeechToText();
    expect(wordErrorRate(QUESTION, await stt.recognise(firstUtterance(user)))).toBeLessThanOrEqual(0.5);
    expect(levelDbfs(agent)).toBeGreaterThan(-45);
  });
});

/** Page script that simulates a service with TURN servers of only this protocol. */
function onlyTurnOver(protocol: string): string {
  return `globalThis.RTCPeerConnection = class extends RTCPeerConnection {
    constructor({ iceServers = [], ...options } = {}) {
      const isWanted = (url) => url.includes('transport=tcp') === ${String(protocol === 'tcp')};
      super({ ...options, iceServers: iceServers.map((each) => ({ ...each, urls: each.urls.filter(isWanted) })) });
    }
  };`;
}

const setColour = {
  temporaryTool: {
    modelToolName: 'setColour',
    // A busy page responds late.
    timeout: '40s',
    dynamicParameters: [
      { name: 'colour', location: 'PARAMETER_LOCATION_BODY', schema: { type: 'string' }, required: true },
    ],
    client: {},
  },
};
