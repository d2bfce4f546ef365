import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { Api } from '../support/api.ts';
import { openFirefox } from '../support/browser/firefox.ts';
import { startSdkSite } from '../support/browser/sdk-site.ts';
import { eventually } from '../support/eventually.ts';
import { startTestStack } from '../support/start-stack.ts';
import { workerWithClient } from '../support/worker-with-client.ts';

const GREETING = 'Good morning, this is Ada at the reception. What can I do for you today?';
const SPEECH = join(import.meta.dirname, '../../examples/speech.wav');

const standIn = await startAiStandIn();
const { baseUrl } = standIn;
const stack = await startTestStack({
  size: { 'control-plane': 1, 'media-worker': 2, dispatcher: 1 },
  env: {
    LLM_BASE_URL: baseUrl,
    LLM_MODEL: 'stand-in',
    STT_BASE_URL: baseUrl,
    OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
  },
});
const api = new Api(stack);
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
});

it('the browser SDK holds a call in Firefox: network test, speech, DTMF, reconnection and end', async () => {
  await standIn.control({
    stt: { replies: ['a room for two nights please'] },
    llm: {
      rules: [
        { last: 'user', contains: 'two nights', reply: 'Two nights, gladly.' },
        { last: 'user', contains: '42#', reply: 'Thank you.' },
      ],
    },
  });
  await using site = await startSdkSite();
  await using page = await openFirefox();
  await page.goto(site.url);
  const { callId, joinUrl } = await api.createCall({
    medium: { webRtc: {} },
    firstSpeakerSettings: { agent: { text: GREETING } },
    // The call also waits for the network test.
    joinTimeout: '120s',
  });
  const url = JSON.stringify(joinUrl);
  const until = (expression: string): Promise<void> =>
    eventually(async () => {
      if (!(await page.evaluate(`Boolean(${expression})`))) throw new Error(`${expression} does not hold`);
    });
  const agentSaid = (text: string): string =>
    `session.transcripts.some(({ role, text, isFinal }) => role === 'agent' && isFinal && text.includes('${text}'))`;

  await page.evaluate(`import('/sdk/calls-client.js').then((sdk) => { globalThis.sdk = sdk; })`);
  expect(await page.evaluate(`sdk.testNetwork(${url})`)).toMatchObject({
    udp: { isReachable: true, problem: null },
    tcp: { isReachable: true, problem: null },
  });

  const wav = (await readFile(SPEECH)).toString('base64');
  await page.evaluate(`(async () => {
    globalThis.context = new AudioContext();
    globalThis.microphone = context.createMediaStreamDestination();
    const bytes = await (await fetch('data:audio/wav;base64,${wav}')).arrayBuffer();
    globalThis.speech = await context.decodeAudioData(bytes);
    globalThis.session = new sdk.CallSession();
    globalThis.loudest = { microphone: 0, agent: 0 };
    globalThis.returns = 0;
    session.addEventListener('levels', ({ detail }) => {
      for (const side of ['microphone', 'agent']) loudest[side] = Math.max(loudest[side], detail[side]);
    });
    session.addEventListener('reconnected', () => (returns += 1));
    await session.joinCall(${url}, { microphone: microphone.stream.getAudioTracks()[0] });
  })()`);
  await until(`loudest.agent > 0.3 && session.status === 'listening' && ${agentSaid('Good morning')}`);

  await page.evaluate(`(() => {
    const source = context.createBufferSource();
    source.buffer = speech;
    source.connect(microphone);
    source.start();
  })()`);
  await until(agentSaid('Two nights, gladly.'));
  expect(await page.evaluate('loudest.microphone')).toBeGreaterThan(0.1);

  // The microphone of the browser, which plays a tone.
  await page.evaluate(`session.setMicrophone(true).then(() => session.muteMic())`);
  await page.evaluate(`session.sendDtmf('42#')`);
  await until(agentSaid('Thank you.'));

  const owner = await workerWithClient(stack);
  await owner.kill();
  await until('returns > 0');
  await page.evaluate(`session.sendText('for two nights')`);
  await until(`session.transcripts.filter(({ text }) => text.includes('Two nights, gladly.')).length > 1`);
  await page.evaluate('session.leaveCall()');
  expect(await api.endedCall(callId)).toMatchObject({ endReason: 'hangup' });
  const users = (await api.messages(callId)).filter(({ role }) => role === 'MESSAGE_ROLE_USER');
  expect(users.map(({ text }) => text)).toEqual(['a room for two nights please', '42#', 'for two nights']);
});
